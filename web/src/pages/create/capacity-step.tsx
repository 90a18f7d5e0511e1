// Accelerator capacity, now or later, and the small group for the cluster's own pods.
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import RadioGroup from "@cloudscape-design/components/radio-group";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { GroupsEditor } from "../../components/capacity/groups-editor";
import { SystemGroup } from "../../components/capacity/system-group";
import { type Draft, GROUPS_AT, SYSTEM_AT } from "./draft";
import type { StepProps } from "./step-props";

const TIMES = [
  { value: "now", label: "Decide now", description: "One request goes from nothing to verified nodes." },
  {
    value: "later",
    label: "Decide later",
    description: "The cluster is made up to its dependencies and then waits for the decision. No nodes are billed.",
  },
];

export function CapacityStep({ draft, errors, change }: StepProps) {
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">When</Header>}>
        <RadioGroup
          ariaLabel="When capacity is decided"
          value={draft.capacity}
          items={TIMES}
          onChange={({ detail }) => change({ capacity: detail.value as Draft["capacity"] })}
        />
      </Container>
      {draft.capacity === "now" && (
        <GroupsEditor
          region={draft.region}
          groups={draft.groups}
          at={GROUPS_AT}
          errors={errors}
          set={(groups) => change({ groups })}
        />
      )}
      {draft.capacity === "now" && (
        <SystemGroup
          region={draft.region}
          system={draft.system}
          groups={draft.groups}
          at={SYSTEM_AT}
          errors={errors}
          set={(system) => change({ system })}
        />
      )}
    </SpaceBetween>
  );
}
