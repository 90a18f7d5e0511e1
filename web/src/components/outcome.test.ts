// Outcomes are told as sentences; a form that is not known is told by none.
import { describe, expect, it } from "vitest";
import { checks, sentence } from "./outcome";

describe("what came of it", () => {
  it("is counted in words where only changes were counted", () => {
    expect(sentence({ changes: 3 })).toBe("3 changes made.");
    expect(sentence({ changes: 1, remaining: 2 })).toBe("1 change made, 2 to go.");
    expect(sentence({ changes: 0 })).toBe("Nothing had to be changed.");
  });

  it("names what stands after each stage", () => {
    const eks = { name: "team-a", kubernetesVersion: "1.34", addons: { coredns: "v1", "vpc-cni": "v1" } };
    expect(sentence({ eks, vpcId: "vpc-1", vpcCidr: "10.0.0.0/16" })).toBe(
      "EKS cluster team-a, Kubernetes 1.34 in vpc-1 (10.0.0.0/16), with 2 add-ons.",
    );
    const addons = [{ name: "coredns", state: "waitingForNodes" }];
    expect(sentence({ addons, components: [] })).toBe(
      "1 add-on and 0 components are in place. When it ended, coredns waited for nodes.",
    );
    expect(sentence({ nodes: "1 of 4", groups: { workers: { running: 1, instanceType: "ml.p5.48xlarge" } } })).toBe(
      "1 of 4 nodes: workers 1 × ml.p5.48xlarge.",
    );
    expect(sentence({ claim: "s3-claim", claimPhase: "Bound", bucket: "b", prefix: "p/" })).toBe(
      "Claim s3-claim is Bound to s3://b/p/.",
    );
  });

  it("counts the checks that passed", () => {
    const outcome = {
      checks: [
        { name: "gpus", status: "pass", figure: "8 of 8" },
        { name: "addons", status: "fail" },
      ],
    };
    expect(sentence(outcome)).toBe("1 of 2 checks passed.");
    expect(checks(outcome)[0]).toEqual({ name: "Gpus", figure: "8 of 8", passed: true });
  });

  it("says nothing of what it does not know", () => {
    expect([sentence(undefined), sentence({}), sentence({ else: 1 }), sentence([1])]).toEqual(["", "", "", ""]);
  });
});
