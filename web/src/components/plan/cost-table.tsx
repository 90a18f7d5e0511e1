// What it costs by hour and when billing starts; a price that is not known is said as such and makes the sum a bound.
import Box from "@cloudscape-design/components/box";
import Header from "@cloudscape-design/components/header";
import Table, { type TableProps } from "@cloudscape-design/components/table";
import type { PlanView } from "../../api/schema";
import { Empty } from "../resource";
import { State } from "../state";
import { dollars } from "../words";

type Cost = PlanView["cost"];
type Line = Cost["lines"][number];

const COLUMNS: TableProps.ColumnDefinition<Line>[] = [
  { id: "item", header: "Billed", isRowHeader: true, cell: (line) => line.item },
  { id: "quantity", header: "Quantity", cell: (line) => line.quantity },
  {
    id: "hourly",
    header: "US dollars an hour",
    minWidth: 150,
    cell: (line) => (line.hourlyUsd === undefined ? <State text="Unknown" tone="warning" /> : dollars(line.hourlyUsd)),
  },
  { id: "note", header: "When billing starts", cell: (line) => line.note },
];

export function CostTable({ cost }: { cost: Cost }) {
  const sum = `${cost.incomplete ? "At least " : ""}${dollars(cost.knownHourlyUsd)} an hour`;
  return (
    <Table
      items={cost.lines}
      trackBy="item"
      columnDefinitions={COLUMNS}
      wrapLines
      ariaLabels={{ tableLabel: "Cost by hour" }}
      header={
        <Header
          variant="h2"
          description="On-demand list prices; discounts and training plans that are paid for are not in it."
        >
          Cost: {sum}
        </Header>
      }
      footer={cost.incomplete && <Box>A price is unknown, so the sum is a lower bound.</Box>}
      empty={<Empty title="Nothing is billed" />}
    />
  );
}
