// What came of a stage or an operation, as sentences. Outcomes differ from stage to stage; one that is not known here gives
// no sentence and is shown as a tree instead.
import { count } from "./words";
import { words } from "./value-tree";

type Values = Record<string, unknown>;

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const at = (value: unknown, name: string): unknown => (isValues(value) ? value[name] : undefined);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

export interface Check {
  name: string;
  figure: string;
  passed: boolean;
}

/** The acceptance checks of an outcome, each with its figure. */
export const checks = (outcome: unknown): Check[] =>
  list(at(outcome, "checks")).map((check) => ({
    name: words(text(at(check, "name"))),
    figure: text(at(check, "figure")),
    passed: at(check, "status") === "pass",
  }));

function ofChecks(outcome: Values): string {
  const all = checks(outcome);
  const passed = all.filter((check) => check.passed).length;
  return all.length > 0 ? `${passed} of ${count(all.length, "check")} passed.` : "";
}

function ofControlPlane({ eks, vpcId, vpcCidr }: Values): string {
  const name = text(at(eks, "name"));
  if (!name) return "";
  const vpc = text(vpcId) && ` in ${text(vpcId)}${text(vpcCidr) && ` (${text(vpcCidr)})`}`;
  const addons = Object.keys((at(eks, "addons") as Values | undefined) ?? {}).length;
  return `EKS cluster ${name}, Kubernetes ${text(at(eks, "kubernetesVersion"))}${vpc}, with ${count(addons, "add-on")}.`;
}

function ofSelection({ eksClusterName, status, kubernetesVersion, findings }: Values): string {
  if (!text(eksClusterName) || !text(status)) return "";
  const found = list(findings).length;
  const remarks = found > 0 ? ` ${count(found, "remark")}, in the details.` : "";
  return `EKS cluster ${text(eksClusterName)} is ${text(status)}, Kubernetes ${text(kubernetesVersion)}, and answers.${remarks}`;
}

function ofDependencies({ addons, components }: Values): string {
  if (!Array.isArray(addons) || !Array.isArray(components)) return "";
  const waiting = addons.filter((addon) => at(addon, "state") === "waitingForNodes").map((addon) => at(addon, "name"));
  const wait = waiting.length > 0 ? ` When it ended, ${waiting.join(", ")} waited for nodes.` : "";
  return `${count(addons.length, "add-on")} and ${count(components.length, "component")} are in place.${wait}`;
}

function ofHyperPod({ nodes, groups, note }: Values): string {
  if (!text(nodes) || !isValues(groups)) return "";
  const each = Object.entries(groups).map(
    ([name, group]) => `${name} ${number(at(group, "running")) ?? "?"} × ${text(at(group, "instanceType"))}`,
  );
  return [`${text(nodes)} nodes: ${each.join(", ") || "no groups"}.`, text(note)].filter(Boolean).join(" ");
}

function ofStorage({ claim, claimPhase, bucket, prefix, read }: Values): string {
  if (!text(claim) || !text(bucket)) return "";
  const reader = text(at(read, "node"));
  const proof = reader ? `, read by a pod on ${reader}` : "";
  return `Claim ${text(claim)} is ${text(claimPhase)} to s3://${text(bucket)}/${text(prefix)}${proof}.`;
}

function ofChanges({ changes, remaining }: Values): string {
  const made = number(changes);
  if (made === undefined) return "";
  const left = number(remaining);
  const told = made === 0 ? "Nothing had to be changed" : `${count(made, "change")} made`;
  return `${told}${left ? `, ${left} to go` : ""}.`;
}

const READERS = [ofChecks, ofControlPlane, ofSelection, ofDependencies, ofHyperPod, ofStorage, ofChanges];

/** One sentence for people; empty if the outcome's form is not known. */
export function sentence(outcome: unknown): string {
  if (!isValues(outcome)) return "";
  const awaited = text(outcome.awaitingDecision);
  if (awaited) return `To be decided: ${awaited}.`;
  return READERS.map((reader) => reader(outcome)).find((told) => told !== "") ?? "";
}
