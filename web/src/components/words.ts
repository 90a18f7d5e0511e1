// The product's machine words as people read them, and the colour that goes with each; the word is always shown.
import type { StatusIndicatorProps } from "@cloudscape-design/components/status-indicator";
import type { CapacityType, Fate, Fix, OperationState, StageName, StageState, Waiting } from "../api/schema";

export type Tone = StatusIndicatorProps.Type;

export const STAGES: readonly StageName[] = [
  "control-plane",
  "selection",
  "dependencies",
  "hyperpod",
  "storage",
  "verification",
];

export const STAGE_TITLES: Record<StageName, string> = {
  "control-plane": "Control plane",
  selection: "Selection",
  dependencies: "Dependencies",
  hyperpod: "HyperPod",
  storage: "Storage",
  verification: "Verification",
};

export const STAGE_PURPOSES: Record<StageName, string> = {
  "control-plane": "VPC, subnets, roles, EKS cluster, base add-ons and access entries",
  selection: "The EKS cluster is active, reachable and fit for HyperPod",
  dependencies: "What HyperPod needs inside the cluster: agents, device plugins, add-ons",
  hyperpod: "The HyperPod cluster, its instance groups and nodes",
  storage: "The project bucket as the claim s3-claim, read by a pod",
  verification: "Machine-checked acceptance of nodes, accelerators, add-ons and storage",
};

export const STAGE_STATES: Record<StageState, { text: string; tone: Tone }> = {
  pending: { text: "Pending", tone: "pending" },
  running: { text: "Running", tone: "in-progress" },
  awaiting_decision: { text: "Awaiting your decision", tone: "info" },
  succeeded: { text: "Succeeded", tone: "success" },
  failed: { text: "Failed", tone: "error" },
  cancelled: { text: "Cancelled", tone: "stopped" },
};

export const OPERATION_STATES: Record<OperationState, { text: string; tone: Tone }> = {
  accepted: { text: "Accepted", tone: "pending" },
  awaiting_approval: { text: "Awaiting approval", tone: "info" },
  running: { text: "Running", tone: "in-progress" },
  succeeded: { text: "Succeeded", tone: "success" },
  failed: { text: "Failed", tone: "error" },
  cancelled: { text: "Cancelled", tone: "stopped" },
};

export const FATES: Record<Fate, { text: string; tone: Tone }> = {
  intended: { text: "Intended", tone: "pending" },
  applied: { text: "Applied", tone: "success" },
  refused: { text: "Refused", tone: "error" },
  uncertain: { text: "Uncertain: answer lost", tone: "warning" },
  observed: { text: "Answer lost, found done", tone: "success" },
};

const PHASES: Record<string, { text: string; tone: Tone }> = {
  Pending: { text: "Pending", tone: "pending" },
  Provisioning: { text: "Provisioning", tone: "in-progress" },
  AwaitingDecision: { text: "Awaiting your decision", tone: "info" },
  Partial: { text: "Partly done", tone: "info" },
  Ready: { text: "Ready", tone: "success" },
  Failed: { text: "Failed", tone: "error" },
  Cancelled: { text: "Cancelled", tone: "stopped" },
};

/** The word for a cluster's phase; a phase that this console does not know is shown as it is. */
export const phase = (word: string): { text: string; tone: Tone } => PHASES[word] ?? { text: word, tone: "info" };

export const WAITS: Record<Waiting["on"], string> = {
  aws: "Waiting for AWS",
  capacity: "Waiting for capacity",
  plan_start: "Waiting for the training plan to start",
  nodes: "Waiting for nodes",
  deep_checks: "Waiting for deep health checks",
  lane: "Waiting for another operation",
  throttled: "Slowed down by a rate limit",
  uncertain_change: "Looking whether a change went through",
};

export const CAPACITY_TYPES: Record<CapacityType, { text: string; about: string }> = {
  "on-demand": { text: "On-demand", about: "Instances within the quota, if AWS has them now" },
  spot: { text: "Spot", about: "Cheaper; taken back at two minutes' notice" },
  "training-plan": { text: "Training plan", about: "Instances that were bought for certain dates" },
};

export const FIXES: Record<Fix, { text: string; about: string }> = {
  "self-rules": {
    text: "Add self-referencing rules",
    about: "All traffic between members of the cluster's security group, both ways, as EFA needs it.",
  },
  nat: { text: "Add NAT routes", about: "A NAT route for private subnets that have none. NAT gateways are billed." },
  endpoints: { text: "Add the S3 endpoint", about: "The S3 gateway endpoint on the private route tables. Free." },
  "authentication-mode": {
    text: "Change the authentication mode",
    about: "From CONFIG_MAP to API_AND_CONFIG_MAP. EKS does not change it back.",
  },
};

const KINDS: Record<string, string> = {
  create_cluster: "Create cluster",
  create_hyperpod: "Create HyperPod capacity",
  import_cluster: "Import cluster",
  run_stage: "Run stage",
  stop_spending: "Stop spending",
};

/** An operation's kind for people. */
export const kind = (word: string): string => KINDS[word] ?? word.replaceAll("_", " ");

export const dollars = (amount: number): string =>
  new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 4 }).format(amount);

/** `1 node`, `2 nodes`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
