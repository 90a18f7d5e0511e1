// Training plans of the account: dates in UTC, zone, what is free, whether a group can use it.
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useTrainingPlans } from "../../api/resources";
import type { TrainingPlan } from "../../api/schema";
import { FittingTable } from "../fitting-table";
import { ReadFailed } from "../read-failed";
import { Empty } from "../resource";
import { State } from "../state";
import { Time } from "../time";

const COLUMNS: TableProps.ColumnDefinition<TrainingPlan>[] = [
  {
    id: "name",
    header: "Training plan",
    isRowHeader: true,
    minWidth: 130,
    cell: (plan) => <span title={plan.arn}>{plan.name}</span>,
  },
  { id: "status", header: "Status", minWidth: 110, cell: (plan) => plan.status },
  {
    id: "usable",
    header: "Usable",
    minWidth: 185,
    cell: (plan) => (
      <>
        <State text={plan.usable ? "Yes" : "No"} tone={plan.usable ? "success" : "stopped"} />
        {plan.note && <div>{plan.note}</div>}
      </>
    ),
  },
  { id: "type", header: "Instance type", minWidth: 130, cell: (plan) => plan.instanceType },
  { id: "free", header: "Free", minWidth: 80, cell: (plan) => `${plan.free} of ${plan.total}` },
  { id: "zone", header: "Zone", minWidth: 100, cell: (plan) => plan.zoneId ?? "Unknown" },
  {
    id: "dates",
    header: "From and to",
    minWidth: 165,
    cell: (plan) => (
      <>
        <div>
          <Time at={plan.startsAt} />
        </div>
        <Time at={plan.endsAt} />
      </>
    ),
  },
];

export function TrainingPlansTable({ region }: { region: string }) {
  const live = useTrainingPlans(region);
  const { data, loading, refresh } = live;
  return (
    <SpaceBetween size="s">
      <ReadFailed live={live} />
      <FittingTable
        items={data?.items ?? []}
        trackBy="arn"
        columnDefinitions={COLUMNS}
        loading={loading}
        loadingText="Loading training plans"
        enableKeyboardNavigation
        ariaLabels={{ tableLabel: "Training plans" }}
        header={
          <Header
            variant="h2"
            counter={data ? `(${data.items.length})` : ""}
            description="A plan whose status is Scheduled has not begun, or is between two of its blocks."
            actions={<Button iconName="refresh" ariaLabel="Refresh the training plans" onClick={refresh} />}
          >
            Training plans
          </Header>
        }
        empty={<Empty title="No training plans in this Region" />}
      />
    </SpaceBetween>
  );
}
