// What each stage would do, how long that takes, and what remains and is billed if it fails there.
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import Header from "@cloudscape-design/components/header";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import type { StagePlan } from "../../api/schema";
import { capitalised } from "../advice";
import { State } from "../state";
import { count, STAGE_TITLES } from "../words";

function Changes({ stage }: { stage: StagePlan }) {
  if (stage.unknown) {
    return (
      <>
        <State text="Cannot be planned" tone="warning" />
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
  { id: "stage", header: "Stage", isRowHeader: true, minWidth: 130, cell: (stage) => STAGE_TITLES[stage.stage] },
  { id: "changes", header: "What it does", minWidth: 280, cell: (stage) => <Changes stage={stage} /> },
  { id: "minutes", header: "Minutes", minWidth: 100, cell: (stage) => `${stage.minutesFrom} to ${stage.minutesTo}` },
  { id: "after", header: "If it fails here", minWidth: 260, cell: (stage) => stage.afterFailure },
];

export function StagesTable({ stages }: { stages: readonly StagePlan[] }) {
  const changes = stages.reduce((sum, stage) => sum + stage.changes.length, 0);
  const from = stages.reduce((sum, stage) => sum + stage.minutesFrom, 0);
  const to = stages.reduce((sum, stage) => sum + stage.minutesTo, 0);
  return (
    <Table
      items={stages}
      trackBy="stage"
      columnDefinitions={COLUMNS}
      wrapLines
      ariaLabels={{ tableLabel: "Stages" }}
      header={
        <Header variant="h2" description={`${count(changes, "change")}, ${from} to ${to} minutes in all.`}>
          Stages
        </Header>
      }
    />
  );
}
