// The wizard's draft: what was entered so far, what is wrong with it, and the request that it becomes.
import type { CreateCluster } from "../../api/schema";
import {
  checkCapacity,
  type FieldErrors,
  type GroupDraft,
  newGroup,
  newSystem,
  type SystemDraft,
  toCapacity,
} from "../../components/capacity/group-draft";

export interface Draft {
  tag: string;
  region: string;
  /** Empty: the one that is recommended. */
  kubernetesVersion: string;
  administrators: readonly string[];
  network: "automatic" | "cidr" | "subnets";
  vpcCidr: string;
  subnetIds: readonly string[];
  capacity: "now" | "later";
  groups: readonly GroupDraft[];
  system: SystemDraft;
  prefix: string;
}

export const STEPS = ["basics", "network", "capacity", "storage", "plan"] as const;
export type Step = (typeof STEPS)[number];

export const emptyDraft = (): Draft => ({
  tag: "",
  region: "",
  kubernetesVersion: "",
  administrators: [],
  network: "automatic",
  vpcCidr: "",
  subnetIds: [],
  capacity: "now",
  groups: [newGroup("workers")],
  system: newSystem(),
  prefix: "",
});

export const GROUPS_AT = "/hyperpod/instanceGroups";
export const SYSTEM_AT = "/hyperpod/systemGroup";

/** The step whose page has the field of a pointer. */
export function stepOf(pointer: string): Step {
  const field = pointer.replace(/^#/, "").split("/")[1] ?? "";
  if (field === "vpcCidr" || field === "network") return "network";
  if (field === "hyperpod") return "capacity";
  return field === "storage" ? "storage" : "basics";
}

const TAG = /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/;
const PRINCIPAL = /^arn:aws[a-z-]*:(iam::\d{12}:(role|user)\/.+|sts::\d{12}:assumed-role\/[^/]+\/[^/]+)$/;
const CIDR = /^(\d{1,3}\.){3}\d{1,3}\/(1[6-9]|2[0-4])$/;
const SUBNET = /^subnet-[0-9a-f]{8,17}$/;
const PREFIX = /^[A-Za-z0-9_.=-]+(\/[A-Za-z0-9_.=-]+)*\/?$/;

function basics({ tag, region, administrators }: Draft): Record<string, string> {
  const found: Record<string, string> = {};
  if (!TAG.test(tag))
    found["/tag"] = "1 to 100 letters, digits, hyphens and underscores, beginning with a letter or digit.";
  if (!region) found["/region"] = "Choose a Region.";
  administrators.forEach((arn, index) => {
    if (!PRINCIPAL.test(arn))
      found[`/administrators/${index}`] = "The ARN of an IAM role or user: arn:aws:iam::111122223333:role/name.";
    else if (administrators.indexOf(arn) < index) found[`/administrators/${index}`] = "This one is there already.";
  });
  return found;
}

function network(draft: Draft): Record<string, string> {
  const found: Record<string, string> = {};
  if (draft.network === "cidr" && !CIDR.test(draft.vpcCidr)) {
    found["/vpcCidr"] = "A private IPv4 block from /16 to /24, such as 10.40.0.0/16.";
  }
  if (draft.network === "subnets") {
    if (draft.subnetIds.length < 2) found["/network/subnetIds"] = "Give at least two subnets in two zones.";
    draft.subnetIds.forEach((id, index) => {
      if (!SUBNET.test(id)) found[`/network/subnetIds/${index}`] = "A subnet id: subnet-0123456789abcdef0.";
    });
  }
  return found;
}

const capacity = ({ capacity: when, groups, system }: Draft): Record<string, string> =>
  when === "later" ? {} : checkCapacity(groups, system, "/hyperpod");

function storage({ prefix }: Draft): Record<string, string> {
  const isFine = prefix === "" || (prefix.length <= 512 && PREFIX.test(prefix));
  return isFine ? {} : { "/storage/prefix": "Letters, digits, - _ . = and / between names; at most 512 characters." };
}

/** What is wrong with a step, by pointer, as far as the form can know. The plan page asks the API for the rest. */
export function check(draft: Draft, step: Step): FieldErrors {
  if (step === "basics") return basics(draft);
  if (step === "network") return network(draft);
  if (step === "capacity") return capacity(draft);
  return step === "storage" ? storage(draft) : {};
}

/** The request. Only what was decided is in it. */
export function toRequest(draft: Draft): CreateCluster {
  return {
    tag: draft.tag,
    region: draft.region,
    ...(draft.kubernetesVersion ? { kubernetesVersion: draft.kubernetesVersion } : {}),
    ...(draft.administrators.length > 0 ? { administrators: draft.administrators } : {}),
    ...(draft.network === "cidr" ? { vpcCidr: draft.vpcCidr } : {}),
    ...(draft.network === "subnets" ? { network: { subnetIds: draft.subnetIds } } : {}),
    ...(draft.capacity === "now" ? { hyperpod: toCapacity(draft.groups, draft.system) } : {}),
    ...(draft.prefix ? { storage: { prefix: draft.prefix } } : {}),
  };
}
