// Where each group's nodes come from, where they go, and whether their addresses fit.
import Header from "@cloudscape-design/components/header";
import type { TableProps } from "@cloudscape-design/components/table";
import type { PlanView } from "../../api/schema";
import { FittingTable } from "../fitting-table";
import { State } from "../state";
import { count } from "../words";

type Group = PlanView["groups"][number];

const zone = (group: Group) => `${group.zoneId} (${group.zoneName ?? "name unknown"})`;

function Addresses({ group }: { group: Group }) {
  const text = `${group.addressesNeeded} needed, ${group.addressesFree} free`;
  return (
    <>
      <State text={text} tone={group.addressesNeeded > group.addressesFree ? "error" : "success"} />
      <div>{count(group.nodesAtMost, "node")} at most</div>
    </>
  );
}

const COLUMNS: TableProps.ColumnDefinition<Group>[] = [
  { id: "group", header: "Instance group", isRowHeader: true, minWidth: 120, cell: (group) => group.instanceGroup },
  { id: "nodes", header: "Nodes", minWidth: 130, cell: (group) => `${group.count} × ${group.instanceType}` },
  { id: "zone", header: "Zone", minWidth: 110, cell: zone },
  { id: "source", header: "Capacity source", minWidth: 140, cell: (group) => group.capacitySource },
  { id: "subnet", header: "Subnet", minWidth: 110, cell: (group) => group.subnet },
  { id: "addresses", header: "Addresses", minWidth: 180, cell: (group) => <Addresses group={group} /> },
];

export function GroupsTable({ groups }: { groups: readonly Group[] }) {
  return (
    <FittingTable
      items={groups}
      trackBy="instanceGroup"
      columnDefinitions={COLUMNS}
      ariaLabels={{ tableLabel: "Capacity" }}
      header={<Header variant="h2">Capacity</Header>}
    />
  );
}
