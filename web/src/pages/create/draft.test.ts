// The wizard's draft: what it lets through, where it points, and the request that it becomes.
import { describe, expect, it } from "vitest";
import { newGroup } from "../../components/capacity/group-draft";
import { check, type Draft, emptyDraft, STEPS, stepOf, toRequest } from "./draft";

const group = (part = {}) => ({ ...newGroup("workers"), zoneId: "usw2-az2", instanceType: "ml.g6.4xlarge", ...part });

const draft = (part: Partial<Draft> = {}): Draft => ({
  ...emptyDraft(),
  tag: "vision",
  region: "us-west-2",
  groups: [group()],
  ...part,
});

describe("a whole draft", () => {
  it("has nothing wrong on any step", () => {
    expect(STEPS.map((step) => check(draft(), step))).toEqual([{}, {}, {}, {}, {}]);
  });

  it("becomes a request with decisions only", () => {
    expect(toRequest(draft())).toEqual({
      tag: "vision",
      region: "us-west-2",
      hyperpod: {
        instanceGroups: {
          workers: { zoneId: "usw2-az2", instanceType: "ml.g6.4xlarge", instanceCount: 1, capacityType: "on-demand" },
        },
      },
    });
  });

  it("without capacity leaves hyperpod out, whatever the groups hold", () => {
    const later = draft({ capacity: "later", groups: [group({ zoneId: "" })] });
    expect(check(later, "capacity")).toEqual({});
    expect(toRequest(later)).toEqual({ tag: "vision", region: "us-west-2" });
  });

  it("carries plan, volume, system group, network and prefix", () => {
    const arn = "arn:aws:sagemaker:us-west-2:111122223333:training-plan/p5";
    const full = draft({
      kubernetesVersion: "1.33",
      administrators: ["arn:aws:iam::111122223333:role/admins"],
      network: "subnets",
      subnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
      vpcCidr: "10.0.0.0/16",
      groups: [group({ capacityType: "training-plan", trainingPlanArn: arn, count: "4", volumeSizeGib: "500" })],
      system: { wanted: true, zoneId: "usw2-az1", instanceType: "ml.m5.4xlarge", count: "2" },
      prefix: "teams/vision",
    });
    expect(STEPS.flatMap((step) => Object.keys(check(full, step)))).toEqual([]);
    expect(toRequest(full)).toEqual({
      tag: "vision",
      region: "us-west-2",
      kubernetesVersion: "1.33",
      administrators: ["arn:aws:iam::111122223333:role/admins"],
      network: { subnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"] },
      hyperpod: {
        instanceGroups: {
          workers: {
            zoneId: "usw2-az2",
            instanceType: "ml.g6.4xlarge",
            instanceCount: 4,
            capacityType: "training-plan",
            trainingPlanArn: arn,
            volumeSizeGib: 500,
          },
        },
        systemGroup: { zoneId: "usw2-az1", instanceType: "ml.m5.4xlarge", instanceCount: 2 },
      },
      storage: { prefix: "teams/vision" },
    });
  });
});

it("takes a session of a role for its role", () => {
  const session = "arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Admin_abc/user";
  expect(check(draft({ administrators: [session] }), "basics")).toEqual({});
});

describe("what is wrong", () => {
  it.each([
    ["basics", { tag: "-x" }, "/tag"],
    ["basics", { tag: "a".repeat(101) }, "/tag"],
    ["basics", { region: "" }, "/region"],
    ["basics", { administrators: ["arn:aws:s3:::bucket"] }, "/administrators/0"],
    ["network", { network: "cidr", vpcCidr: "10.0.0.0/8" }, "/vpcCidr"],
    ["network", { network: "subnets", subnetIds: ["subnet-0123456789abcdef0"] }, "/network/subnetIds"],
    ["capacity", { groups: [] }, "/hyperpod/instanceGroups"],
    ["capacity", { groups: [group({ zoneId: "" })] }, "/hyperpod/instanceGroups/workers/zoneId"],
    ["capacity", { groups: [group({ count: "-1" })] }, "/hyperpod/instanceGroups/workers/instanceCount"],
    ["capacity", { groups: [group({ count: "1.5" })] }, "/hyperpod/instanceGroups/workers/instanceCount"],
    ["capacity", { groups: [group({ count: "6759" })] }, "/hyperpod/instanceGroups/workers/instanceCount"],
    [
      "capacity",
      { groups: [group({ capacityType: "training-plan" })] },
      "/hyperpod/instanceGroups/workers/trainingPlanArn",
    ],
    ["capacity", { groups: [group(), group()] }, "/hyperpod/instanceGroups/workers"],
    ["storage", { prefix: "a//b" }, "/storage/prefix"],
  ] as const)("on the step %s with %j is pointed at", (step, part, pointer) => {
    expect(Object.keys(check(draft(part as Partial<Draft>), step))).toEqual([pointer]);
    expect(stepOf(pointer)).toBe(step);
  });

  it("of an administrator that is given twice stands at the second", () => {
    const arn = "arn:aws:iam::111122223333:role/admins";
    expect(Object.keys(check(draft({ administrators: [arn, arn] }), "basics"))).toEqual(["/administrators/1"]);
  });
});

describe("an empty group", () => {
  it("of zero instances is legal, and a system group alone is capacity", () => {
    expect(check(draft({ groups: [group({ count: "0" })] }), "capacity")).toEqual({});
    const system = { wanted: true, zoneId: "usw2-az1", instanceType: "ml.m5.4xlarge", count: "1" };
    expect(check(draft({ groups: [], system }), "capacity")).toEqual({});
  });
});
