// The subnets of the cluster's VPC: zone, free addresses, where they lead, whose they are.
import Header from "@cloudscape-design/components/header";
import type { TableProps } from "@cloudscape-design/components/table";
import { useSubnets } from "../../api/resources";
import type { SubnetView } from "../../api/schema";
import { FittingTable } from "../../components/fitting-table";
import { Empty, Resource } from "../../components/resource";
import { State } from "../../components/state";

const PURPOSES: Record<string, string> = {
  "eks-public": "EKS, public",
  "eks-private": "EKS, private",
  compute: "HyperPod compute",
  other: "Other",
};

const ROUTES: Record<string, string> = {
  nat: "NAT gateway",
  internet: "Internet gateway",
  none: "None",
  other: "Other",
};

const OWNERS: Record<string, string> = {
  owned: "Ours: made here",
  borrowed: "Borrowed: used, never changed",
  foreign: "Foreign",
};

const COLUMNS: TableProps.ColumnDefinition<SubnetView>[] = [
  {
    id: "subnet",
    header: "Subnet",
    minWidth: 215,
    isRowHeader: true,
    cell: (subnet) => (
      <>
        <span className="mono">{subnet.subnetId}</span>
        {subnet.name && <div>{subnet.name}</div>}
      </>
    ),
  },
  { id: "purpose", header: "Purpose", minWidth: 110, cell: ({ purpose }) => PURPOSES[purpose] ?? purpose },
  {
    id: "addresses",
    header: "Addresses",
    minWidth: 130,
    cell: ({ cidr, freeAddresses }) => (
      <>
        <div>{cidr}</div>
        {freeAddresses.toLocaleString("en")} free
      </>
    ),
  },
  {
    id: "zone",
    header: "Zone",
    minWidth: 110,
    cell: ({ zoneId, zoneName }) => (
      <>
        <div>{zoneId}</div>
        {zoneName}
      </>
    ),
  },
  {
    id: "route",
    header: "Default route",
    minWidth: 115,
    cell: ({ defaultRoute }) => ROUTES[defaultRoute] ?? defaultRoute,
  },
  {
    id: "endpoint",
    header: "S3 endpoint",
    minWidth: 100,
    cell: ({ s3Endpoint }) => <State text={s3Endpoint ? "Yes" : "No"} tone={s3Endpoint ? "success" : "stopped"} />,
  },
  { id: "owner", header: "Whose", minWidth: 120, cell: ({ ownership }) => OWNERS[ownership] ?? ownership },
];

export function SubnetsTab({ tag }: { tag: string }) {
  const live = useSubnets(tag);
  return (
    <Resource live={live} what="the subnets">
      {(list) => (
        <FittingTable
          items={list.items}
          trackBy="subnetId"
          columnDefinitions={COLUMNS}
          enableKeyboardNavigation
          ariaLabels={{ tableLabel: "Subnets" }}
          header={
            <Header variant="h2" counter={`(${list.items.length})`} description={list.vpcId && `Of ${list.vpcId}`}>
              Subnets
            </Header>
          }
          empty={<Empty title={list.vpcId ? "No subnets" : "The VPC is not made yet"} />}
        />
      )}
    </Resource>
  );
}
