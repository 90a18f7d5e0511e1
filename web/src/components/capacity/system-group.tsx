// The small on-demand CPU group for what the cluster itself runs, offered and, where nothing else holds, urged.
import Alert from "@cloudscape-design/components/alert";
import Checkbox from "@cloudscape-design/components/checkbox";
import ColumnLayout from "@cloudscape-design/components/column-layout";
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import Input from "@cloudscape-design/components/input";
import Select from "@cloudscape-design/components/select";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { Field } from "../field";
import { useInstanceTypes, useZones } from "../../api/resources";
import { type FieldErrors, type GroupDraft, isLasting, type SystemDraft } from "./group-draft";
import { statusOf } from "./group-editor";
import { selected, typeOption, zoneOption } from "./options";

interface Props {
  region: string;
  system: SystemDraft;
  groups: readonly GroupDraft[];
  /** Pointer to the group in the request. */
  at: string;
  errors: FieldErrors;
  set: (system: SystemDraft) => void;
}

function Fields({ region, system, at, errors, set }: Props) {
  const zones = useZones(region);
  const types = useInstanceTypes(region);
  const zoneOptions = (zones.data?.items ?? []).map(zoneOption);
  const typeOptions = (types.data ?? []).filter(({ acceleratorCount }) => acceleratorCount === 0).map(typeOption);
  const change = (part: Partial<SystemDraft>) => set({ ...system, ...part });
  return (
    <ColumnLayout columns={3}>
      <Field pointer={`${at}/zoneId`} label="Zone of the system group" errorText={errors[`${at}/zoneId`]}>
        <Select
          selectedOption={selected(zoneOptions, system.zoneId)}
          options={zoneOptions}
          placeholder="Choose a zone"
          onChange={({ detail }) => change({ zoneId: detail.selectedOption.value ?? "" })}
          {...statusOf(zones, "zones")}
        />
      </Field>
      <Field
        pointer={`${at}/instanceType`}
        label="Instance type of the system group"
        errorText={errors[`${at}/instanceType`]}
      >
        <Select
          selectedOption={selected(typeOptions, system.instanceType)}
          options={typeOptions}
          filteringType="auto"
          filteringAriaLabel="Filter instance types"
          placeholder="Choose a CPU type"
          onChange={({ detail }) => change({ instanceType: detail.selectedOption.value ?? "" })}
          {...statusOf(types, "instance types")}
        />
      </Field>
      <Field
        pointer={`${at}/instanceCount`}
        label="Instances of the system group"
        errorText={errors[`${at}/instanceCount`]}
      >
        <Input
          type="number"
          inputMode="numeric"
          value={system.count}
          onChange={({ detail }) => change({ count: detail.value })}
        />
      </Field>
    </ColumnLayout>
  );
}

export function SystemGroup(props: Props) {
  const { system, groups, at, errors, set } = props;
  const homeless = !system.wanted && !groups.some(isLasting);
  const turn = (wanted: boolean) => {
    const zoneId = system.zoneId || (groups.find((group) => group.zoneId)?.zoneId ?? "");
    set({ ...system, wanted, zoneId });
  };
  return (
    <Container header={<Header variant="h2">System group</Header>}>
      <SpaceBetween size="l">
        {homeless && (
          <Alert type="warning" header="The cluster's own pods have no lasting place">
            Every group is Spot, bound to a plan, or empty. Without a small on-demand CPU group, coredns and the
            operators may have nowhere to run.
          </Alert>
        )}
        <Checkbox
          checked={system.wanted}
          description="A small on-demand CPU group for what the cluster itself runs."
          onChange={({ detail }) => turn(detail.checked)}
        >
          Add a system group
        </Checkbox>
        {errors[at] && <Alert type="error">{errors[at]}</Alert>}
        {system.wanted && <Fields {...props} />}
      </SpaceBetween>
    </Container>
  );
}
