// What each stage would do, how long that takes, and what remains and is billed if it fails there.
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import type { TableProps } from "@cloudscape-design/components/table";
import type { PlanView, StagePlan } from "../../api/schema";
import { capitalised } from "../advice";
import { FittingTable } from "../fitting-table";
import { State } from "../state";
import { count, STAGE_TITLES } from "../words";
import { changes, expectedTime } from "./plan-sums";

function Changes({ stage }: { stage: StagePlan }) {
  if (stage.unknown) {
    return (
      <>
        <State text="Planned in detail later" tone="info" />
        <div>{capitalised(stage.unknown)}</div>
      </>
    );
  }
  const waits = stage.waits ?? [];
  return (
    <>
      {stage.changes.length === 0 ? (
        "Nothing to change"
      ) : (
        <ExpandableSection
          headerText={count(stage.changes.length, "change")}
          headerAriaLabel={`${count(stage.changes.length, "change")} of ${STAGE_TITLES[stage.stage]}`}
        >
          <ol className="plain-list">
            {stage.changes.map(({ change, title }) => (
              <li key={change} title={change}>
                {capitalised(title)}
              </li>
            ))}
          </ol>
        </ExpandableSection>
      )}
      {waits.length > 0 && <div>Then waits for: {waits.join("; ")}</div>}
    </>
  );
}

const COLUMNS: TableProps.ColumnDefinition<StagePlan>[] = [
  { id: "stage", header: "Stage", isRowHeader: true, minWidth: 120, cell: (stage) => STAGE_TITLES[stage.stage] },
  { id: "changes", header: "What it does", minWidth: 250, cell: (stage) => <Changes stage={stage} /> },
  { id: "minutes", header: "Minutes", minWidth: 100, cell: (stage) => `${stage.minutesFrom} to ${stage.minutesTo}` },
  {
    id: "after",
    header: "What stays and is billed if it fails here",
    minWidth: 225,
    cell: (stage) => stage.afterFailure,
  },
];

export function StagesTable({ plan }: { plan: PlanView }) {
  const all = count(changes(plan), "change");
  return (
    <FittingTable
      items={plan.stages}
      trackBy="stage"
      foldFirst={["minutes"]}
      columnDefinitions={COLUMNS}
      ariaLabels={{ tableLabel: "Stages" }}
      header={
        <Header variant="h2" description={`${all}, ${expectedTime(plan)} in all at AWS's own pace.`}>
          Stages
        </Header>
      }
    />
  );
}
