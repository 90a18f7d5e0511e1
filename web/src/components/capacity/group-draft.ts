// An instance group while it is being written in a form: all text, all optional; and what it becomes in a request.
import type { CapacityType, GroupDecision, HyperPodDecision } from "../../api/schema";

export interface GroupDraft {
  /** For React alone; the name can change while it is written. */
  id: string;
  name: string;
  capacityType: CapacityType;
  zoneId: string;
  instanceType: string;
  count: string;
  trainingPlanArn: string;
  volumeSizeGib: string;
}

/** Messages by JSON pointer into the request. */
export type FieldErrors = Readonly<Record<string, string>>;

export const newGroup = (name: string): GroupDraft => ({
  id: crypto.randomUUID(),
  name,
  capacityType: "on-demand",
  zoneId: "",
  instanceType: "",
  count: "1",
  trainingPlanArn: "",
  volumeSizeGib: "",
});

/** A name that no group of these has. */
export function freeName(groups: readonly GroupDraft[]): string {
  const taken = new Set(groups.map(({ name }) => name));
  let number = groups.length + 1;
  while (taken.has(`group-${number}`)) number += 1;
  return `group-${number}`;
}

const GROUP_NAME = /^[A-Za-z0-9](-*[A-Za-z0-9]){0,62}$/;
const INSTANCES_AT_MOST = 6758;
const VOLUME_AT_MOST = 16384;

/** A whole number within bounds, or nothing. */
export function whole(text: string, from: number, to: number): number | undefined {
  const number = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
  return number >= from && number <= to ? number : undefined;
}

/** What is wrong with one group, known from the form alone. Pointers are below `at`. */
export function checkGroup(group: GroupDraft, at: string): Record<string, string> {
  const found: Record<string, string> = {};
  if (!GROUP_NAME.test(group.name)) {
    found[at] = "1 to 63 letters, digits and hyphens; the first and last are no hyphen.";
  }
  if (group.capacityType === "training-plan" && !group.trainingPlanArn) {
    found[`${at}/trainingPlanArn`] = "Choose a training plan.";
  }
  if (!group.zoneId) found[`${at}/zoneId`] = "Choose a zone.";
  if (!group.instanceType) found[`${at}/instanceType`] = "Choose an instance type.";
  if (whole(group.count, 0, INSTANCES_AT_MOST) === undefined) {
    found[`${at}/instanceCount`] = `A whole number from 0 to ${INSTANCES_AT_MOST}.`;
  }
  if (group.volumeSizeGib.trim() && whole(group.volumeSizeGib, 1, VOLUME_AT_MOST) === undefined) {
    found[`${at}/volumeSizeGib`] = `A whole number from 1 to ${VOLUME_AT_MOST}, or nothing.`;
  }
  return found;
}

/** What is wrong with the groups together. */
export function checkGroups(groups: readonly GroupDraft[], at: string): Record<string, string> {
  const found: Record<string, string> = {};
  const names = new Set<string>();
  for (const group of groups) {
    Object.assign(found, checkGroup(group, `${at}/${group.name}`));
    if (names.has(group.name)) found[`${at}/${group.name}`] = "Another group has this name.";
    names.add(group.name);
  }
  if (groups.length === 0) found[at] = "Add an instance group.";
  return found;
}

export function toDecision(group: GroupDraft): GroupDecision {
  const volumeSizeGib = whole(group.volumeSizeGib, 1, VOLUME_AT_MOST);
  return {
    zoneId: group.zoneId,
    instanceType: group.instanceType,
    instanceCount: whole(group.count, 0, INSTANCES_AT_MOST) ?? 0,
    capacityType: group.capacityType,
    ...(group.capacityType === "training-plan" ? { trainingPlanArn: group.trainingPlanArn } : {}),
    ...(volumeSizeGib === undefined ? {} : { volumeSizeGib }),
  };
}

export const toDecisions = (groups: readonly GroupDraft[]): Record<string, GroupDecision> =>
  Object.fromEntries(groups.map((group) => [group.name, toDecision(group)]));

/** Whether a group gives the cluster's own pods a lasting place: on demand, and not empty. */
export const isLasting = (group: GroupDraft): boolean =>
  group.capacityType === "on-demand" && (whole(group.count, 0, INSTANCES_AT_MOST) ?? 0) > 0;

/** The system group while it is being written. */
export interface SystemDraft {
  wanted: boolean;
  zoneId: string;
  instanceType: string;
  count: string;
}

export const newSystem = (): SystemDraft => ({ wanted: false, zoneId: "", instanceType: "ml.m5.4xlarge", count: "1" });

const SYSTEM_AT_MOST = 100;

/** What is wrong with the system group, if it is wanted. */
export function checkSystem(system: SystemDraft, at: string): Record<string, string> {
  const found: Record<string, string> = {};
  if (!system.wanted) return found;
  if (!system.zoneId) found[`${at}/zoneId`] = "Choose a zone.";
  if (!system.instanceType) found[`${at}/instanceType`] = "Choose an instance type.";
  if (whole(system.count, 1, SYSTEM_AT_MOST) === undefined) {
    found[`${at}/instanceCount`] = `A whole number from 1 to ${SYSTEM_AT_MOST}.`;
  }
  return found;
}

/** The part of a request that says what capacity is wanted. */
export function toCapacity(groups: readonly GroupDraft[], system: SystemDraft): HyperPodDecision {
  const { zoneId, instanceType } = system;
  const instanceCount = whole(system.count, 1, SYSTEM_AT_MOST) ?? 1;
  return {
    instanceGroups: toDecisions(groups),
    ...(system.wanted ? { systemGroup: { zoneId, instanceType, instanceCount } } : {}),
  };
}

/** What is wrong with the capacity as a whole. A system group alone is capacity too. */
export const checkCapacity = (
  groups: readonly GroupDraft[],
  system: SystemDraft,
  base: string,
): Record<string, string> => ({
  ...(groups.length === 0 && system.wanted ? {} : checkGroups(groups, `${base}/instanceGroups`)),
  ...checkSystem(system, `${base}/systemGroup`),
});
