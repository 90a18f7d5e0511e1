// Zones, instance types and training plans as options of a form, with what decides between them.
import type { SelectProps } from "@cloudscape-design/components/select";
import type { InstanceType, TrainingPlan, Zone } from "../../api/schema";
import { utc } from "../time";
import { dollars } from "../words";

/** `3 of 8 free`, or why it is not known. A quota is a permission, not capacity. */
export function quotaText({ quota }: InstanceType): string {
  if (quota.limit === undefined || quota.free === undefined)
    return `quota unknown${quota.note ? `: ${quota.note}` : ""}`;
  return `quota ${quota.used ?? "?"} of ${quota.limit} used, ${quota.free} free`;
}

export const priceText = ({ hourlyUsd }: InstanceType): string =>
  hourlyUsd === undefined ? "price unknown" : `${dollars(hourlyUsd)} an hour`;

/** What a type has, in one line. */
export function typeText(type: InstanceType): string {
  const parts = [
    type.accelerators,
    `${type.vcpus} vCPU`,
    `${type.memoryGib} GiB`,
    type.efaInterfaces > 0 && `${type.efaInterfaces} EFA`,
    `${type.addressesPerNode} addresses a node`,
  ];
  return parts.filter(Boolean).join(" · ");
}

export function typeOption(type: InstanceType): SelectProps.Option {
  const none = type.quota.free === 0 || type.quota.limit === 0;
  return {
    value: type.instanceType,
    label: type.instanceType,
    description: typeText(type),
    tags: [quotaText(type), priceText(type)],
    ...(none ? { labelTag: "No quota left" } : {}),
  };
}

export const zoneOption = (zone: Zone): SelectProps.Option => ({
  value: zone.zoneId,
  label: zone.zoneId,
  description: `${zone.zoneName}${zone.eksAccepts ? "" : " · EKS puts no control plane here"}`,
});

/** `30 Nov 2026, 12:00:00 UTC to …`, as far as known. */
export function planDates(plan: TrainingPlan): string {
  if (!plan.startsAt) return "dates unknown";
  return plan.endsAt ? `${utc(plan.startsAt)} to ${utc(plan.endsAt)}` : `from ${utc(plan.startsAt)}`;
}

export const planOption = (plan: TrainingPlan): SelectProps.Option => ({
  value: plan.arn,
  label: plan.name,
  labelTag: plan.status,
  description: planDates(plan),
  tags: [plan.instanceType, plan.zoneId ?? "zone unknown", `${plan.free} of ${plan.total} free`, plan.note].filter(
    Boolean,
  ),
  disabled: !plan.usable,
  ...(plan.usable ? {} : { disabledReason: plan.note }),
});

export const selected = (options: readonly SelectProps.Option[], value: string): SelectProps.Option | null =>
  options.find((option) => option.value === value) ?? (value ? { value, label: value } : null);
