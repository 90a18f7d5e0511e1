// The conditions of a cluster, in the shape of the Kubernetes API conventions.
import Header from "@cloudscape-design/components/header";
import type { TableProps } from "@cloudscape-design/components/table";
import type { Condition } from "../../api/schema";
import { FittingTable } from "../../components/fitting-table";
import { Empty } from "../../components/resource";
import { Truth } from "../../components/state";
import { Time } from "../../components/time";

const COLUMNS: TableProps.ColumnDefinition<Condition>[] = [
  { id: "type", header: "Condition", isRowHeader: true, cell: (condition) => condition.type },
  {
    id: "status",
    header: "Holds",
    minWidth: 130,
    cell: (condition) => <Truth value={condition.status} absent="Unknown" />,
  },
  { id: "reason", header: "Reason", cell: (condition) => condition.reason },
  { id: "message", header: "Message", minWidth: 260, cell: (condition) => condition.message },
  { id: "since", header: "Since", cell: (condition) => <Time at={condition.lastTransitionTime} form="short" /> },
];

export function ConditionsTable({ conditions }: { conditions: readonly Condition[] }) {
  return (
    <FittingTable
      items={conditions}
      trackBy="type"
      columnDefinitions={COLUMNS}
      ariaLabels={{ tableLabel: "Conditions" }}
      header={
        <Header variant="h2" counter={`(${conditions.length})`}>
          Conditions
        </Header>
      }
      empty={<Empty title="No conditions yet" />}
    />
  );
}
