// What it costs by hour and when billing starts, told first: a price that is not known is said as such and makes every
// sum a lower bound.
import Box from "@cloudscape-design/components/box";
import ColumnLayout from "@cloudscape-design/components/column-layout";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import type { PlanView } from "../../api/schema";
import { FittingTable } from "../fitting-table";
import { Empty } from "../resource";
import { State } from "../state";
import { count, dollars } from "../words";
import { expectedTime, nodes } from "./plan-sums";

type Line = PlanView["cost"]["lines"][number];

const COLUMNS: TableProps.ColumnDefinition<Line>[] = [
  {
    id: "item",
    header: "Billed",
    isRowHeader: true,
    minWidth: 190,
    cell: (line) => `${line.quantity} × ${line.item}`,
  },
  {
    id: "hourly",
    header: "US dollars an hour",
    minWidth: 130,
    cell: (line) => (line.hourlyUsd === undefined ? <State text="Unknown" tone="warning" /> : dollars(line.hourlyUsd)),
  },
  { id: "note", header: "When billing starts", minWidth: 240, cell: (line) => line.note },
];

function Figure({ label, value, about }: { label: string; value: string; about: string }) {
  return (
    <div>
      <Box variant="awsui-key-label">{label}</Box>
      <Box variant="span" fontSize="heading-l" fontWeight="bold">
        {value}
      </Box>
      <Box variant="small" display="block">
        {about}
      </Box>
    </div>
  );
}

const HOURS_A_DAY = 24;
const DAYS_A_MONTH = 30;

function Figures({ plan }: { plan: PlanView }) {
  const { knownHourlyUsd: hourly, incomplete } = plan.cost;
  const least = incomplete ? "At least " : "";
  return (
    <ColumnLayout columns={4} variant="text-grid">
      <Figure
        label="An hour"
        value={least + dollars(hourly)}
        about={incomplete ? "A price is unknown, so this is a lower bound." : "Once everything runs."}
      />
      <Figure
        label="A day"
        value={least + dollars(hourly * HOURS_A_DAY)}
        about={`${dollars(hourly * HOURS_A_DAY * DAYS_A_MONTH)} in ${DAYS_A_MONTH} days, if nothing is stopped.`}
      />
      <Figure
        label="Nodes"
        value={count(nodes(plan), "node")}
        about={nodes(plan) === 0 ? "No node is billed." : "Each is billed as its line says."}
      />
      <Figure label="Time until all is there" value={expectedTime(plan)} about="At AWS's own pace." />
    </ColumnLayout>
  );
}

export function Cost({ plan }: { plan: PlanView }) {
  const { cost } = plan;
  return (
    <FittingTable
      items={cost.lines}
      trackBy="item"
      columnDefinitions={COLUMNS}
      ariaLabels={{ tableLabel: "Cost by hour" }}
      header={
        <SpaceBetween size="m">
          <Header
            variant="h2"
            description="On-demand list prices; discounts and training plans that are paid for are not in it."
          >
            Cost: {cost.incomplete ? "at least " : ""}
            {dollars(cost.knownHourlyUsd)} an hour
          </Header>
          <Figures plan={plan} />
        </SpaceBetween>
      }
      empty={<Empty title="Nothing is billed" />}
    />
  );
}
