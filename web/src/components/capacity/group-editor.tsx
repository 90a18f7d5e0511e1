// One instance group of a form. Where the capacity comes from is asked first: a training plan settles zone and type.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import ColumnLayout from "@cloudscape-design/components/column-layout";
import Container from "@cloudscape-design/components/container";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import Input from "@cloudscape-design/components/input";
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Tiles from "@cloudscape-design/components/tiles";
import { Field } from "../field";
import { useState } from "react";
import type { Live } from "../../api/live";
import { useInstanceTypes, useTrainingPlans, useZones } from "../../api/resources";
import type { CapacityType, InstanceType } from "../../api/schema";
import { CAPACITY_TYPES } from "../words";
import type { FieldErrors, GroupDraft } from "./group-draft";
import { planOption, priceText, quotaText, selected, typeOption, typeText, zoneOption } from "./options";

interface Props {
  region: string;
  group: GroupDraft;
  at: string;
  errors: FieldErrors;
  change: (change: Partial<GroupDraft>) => void;
  remove: () => void;
}

const SOURCES = (Object.keys(CAPACITY_TYPES) as CapacityType[]).map((value) => ({
  value,
  label: CAPACITY_TYPES[value].text,
  description: CAPACITY_TYPES[value].about,
}));

/** A select's states while its choices are read. */
export const statusOf = (live: Live<unknown>, what: string) => ({
  statusType: live.loading ? ("loading" as const) : live.error ? ("error" as const) : ("finished" as const),
  loadingText: `Loading ${what}`,
  errorText: live.error?.problem.detail ?? `The ${what} could not be loaded.`,
  recoveryText: "Try again",
  onLoadItems: () => live.error && live.refresh(),
});

function PlanField({ region, group, at, errors, change }: Omit<Props, "remove">) {
  const plans = useTrainingPlans(region);
  const items = plans.data?.items ?? [];
  const options = items.map(planOption);
  const choose = (arn: string) => {
    const plan = items.find((item) => item.arn === arn);
    if (!plan) return;
    change({
      trainingPlanArn: arn,
      instanceType: plan.instanceType,
      zoneId: plan.zoneId ?? group.zoneId,
      count: Number(group.count) > plan.free ? String(plan.free) : group.count,
    });
  };
  return (
    <Field
      pointer={`${at}/trainingPlanArn`}
      label="Training plan"
      description="Its zone and instance type are taken over, and the network is built in its zone. Dates are UTC."
      errorText={errors[`${at}/trainingPlanArn`]}
    >
      <Select
        selectedOption={selected(options, group.trainingPlanArn)}
        options={options}
        placeholder="Choose a training plan"
        empty="No training plans in this Region"
        triggerVariant="option"
        onChange={({ detail }) => choose(detail.selectedOption.value ?? "")}
        {...statusOf(plans, "training plans")}
      />
    </Field>
  );
}

function TypeDetails({ type, zoneId }: { type: InstanceType | undefined; zoneId: string }) {
  if (!type) return null;
  if (zoneId && !type.zoneIds.includes(zoneId)) {
    return (
      <Alert type="warning">
        {type.instanceType} is not offered in {zoneId}. It is offered in {type.zoneIds.join(", ") || "no zone here"}.
      </Alert>
    );
  }
  return (
    <div>
      {typeText(type)} · {quotaText(type)} · {priceText(type)}
    </div>
  );
}

function PlaceFields({ region, group, at, errors, change }: Omit<Props, "remove">) {
  const zones = useZones(region);
  const types = useInstanceTypes(region);
  const byPlan = group.capacityType === "training-plan" && group.trainingPlanArn !== "";
  const zoneOptions = (zones.data?.items ?? []).map(zoneOption);
  const all = types.data ?? [];
  const offered = group.zoneId ? all.filter((type) => type.zoneIds.includes(group.zoneId)) : all;
  const typeOptions = offered.map(typeOption);
  return (
    <SpaceBetween size="xs">
      <ColumnLayout columns={2}>
        <Field
          pointer={`${at}/zoneId`}
          label="Zone"
          description="By zone id: the same place in every account."
          errorText={errors[`${at}/zoneId`]}
        >
          <Select
            selectedOption={selected(zoneOptions, group.zoneId)}
            options={zoneOptions}
            placeholder="Choose a zone"
            onChange={({ detail }) => change({ zoneId: detail.selectedOption.value ?? "" })}
            {...statusOf(zones, "zones")}
          />
        </Field>
        <Field
          pointer={`${at}/instanceType`}
          label="Instance type"
          description={byPlan ? "Settled by the training plan." : "Quota is a permission, not capacity."}
          errorText={errors[`${at}/instanceType`]}
        >
          <Select
            selectedOption={selected(typeOptions, group.instanceType)}
            options={typeOptions}
            placeholder="Choose an instance type"
            filteringType="auto"
            filteringAriaLabel="Filter instance types"
            virtualScroll
            disabled={byPlan}
            onChange={({ detail }) => change({ instanceType: detail.selectedOption.value ?? "" })}
            {...statusOf(types, "instance types")}
          />
        </Field>
      </ColumnLayout>
      <TypeDetails type={all.find((type) => type.instanceType === group.instanceType)} zoneId={group.zoneId} />
    </SpaceBetween>
  );
}

export function GroupEditor(props: Props) {
  const { group, at, errors, change, remove } = props;
  const [storageOpen, setStorageOpen] = useState(group.volumeSizeGib !== "");
  const chooseSource = (capacityType: CapacityType) =>
    change({ capacityType, trainingPlanArn: capacityType === "training-plan" ? group.trainingPlanArn : "" });
  return (
    <Container
      header={
        <Header
          variant="h2"
          actions={
            <Button ariaLabel={`Remove the instance group ${group.name}`} onClick={remove}>
              Remove
            </Button>
          }
        >
          Instance group {group.name}
        </Header>
      }
    >
      <SpaceBetween size="l">
        <Field
          pointer={`${at}/capacityType`}
          label="Capacity type"
          description="Cannot be changed later, as zone and instance type."
          errorText={errors[`${at}/capacityType`]}
        >
          <Tiles
            ariaLabel={`Capacity type of ${group.name}`}
            value={group.capacityType}
            items={SOURCES}
            columns={3}
            onChange={({ detail }) => chooseSource(detail.value as CapacityType)}
          />
        </Field>
        {group.capacityType === "training-plan" && <PlanField {...props} />}
        <PlaceFields {...props} />
        <ColumnLayout columns={2}>
          <Field
            pointer={`${at}/instanceCount`}
            label="Instances"
            description="0 makes an empty group, which costs nothing."
            errorText={errors[`${at}/instanceCount`]}
          >
            <Input
              type="number"
              inputMode="numeric"
              value={group.count}
              onChange={({ detail }) => change({ count: detail.value })}
            />
          </Field>
          <Field pointer={at} label="Name" description="Letters, digits and hyphens." errorText={errors[at]}>
            <Input value={group.name} onChange={({ detail }) => change({ name: detail.value })} />
          </Field>
        </ColumnLayout>
        <ExpandableSection
          headerText="Storage of the nodes"
          expanded={storageOpen || Boolean(errors[`${at}/volumeSizeGib`])}
          onChange={({ detail }) => setStorageOpen(detail.expanded)}
        >
          <Field
            pointer={`${at}/volumeSizeGib`}
            label={
              <>
                Extra EBS volume, GiB <i>- optional</i>
              </>
            }
            description="For each node, mounted at /opt/sagemaker."
            errorText={errors[`${at}/volumeSizeGib`]}
          >
            <Input
              type="number"
              inputMode="numeric"
              value={group.volumeSizeGib}
              onChange={({ detail }) => change({ volumeSizeGib: detail.value })}
            />
          </Field>
        </ExpandableSection>
      </SpaceBetween>
    </Container>
  );
}
