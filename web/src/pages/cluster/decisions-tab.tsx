// What was decided about a cluster, as the API keeps it.
import Container from "@cloudscape-design/components/container";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import type { ClusterView, GroupDecision } from "../../api/schema";
import { FittingTable } from "../../components/fitting-table";
import { Empty } from "../../components/resource";
import { CAPACITY_TYPES } from "../../components/words";

interface Named extends GroupDecision {
  name: string;
}

const COLUMNS: TableProps.ColumnDefinition<Named>[] = [
  { id: "name", header: "Instance group", isRowHeader: true, cell: ({ name }) => name },
  { id: "type", header: "Type", cell: ({ instanceType }) => instanceType },
  { id: "count", header: "Instances", cell: ({ instanceCount }) => instanceCount },
  { id: "zone", header: "Zone", cell: ({ zoneId }) => zoneId },
  {
    id: "source",
    header: "Capacity type",
    cell: ({ capacityType = "on-demand", trainingPlanArn }) => (
      <>
        {CAPACITY_TYPES[capacityType].text}
        {trainingPlanArn && <div className="mono">{trainingPlanArn}</div>}
      </>
    ),
  },
  {
    id: "volume",
    header: "Extra volume",
    cell: ({ volumeSizeGib }) => (volumeSizeGib === undefined ? "None" : `${volumeSizeGib} GiB`),
  },
];

function groupsOf({ decisions }: ClusterView): Named[] {
  const capacity = decisions.hyperpod;
  const groups = Object.entries(capacity?.instanceGroups ?? {}).map(([name, group]) => ({ name, ...group }));
  return capacity?.systemGroup ? [...groups, { name: "system", ...capacity.systemGroup }] : groups;
}

function network({ decisions }: ClusterView): string {
  if (decisions.network) return decisions.network.subnetIds.join(", ");
  return decisions.vpcCidr ?? "Automatic";
}

export function DecisionsTab({ cluster }: { cluster: ClusterView }) {
  const { decisions } = cluster;
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Decisions</Header>}>
        <KeyValuePairs
          columns={3}
          items={[
            { label: "Kubernetes version", value: decisions.kubernetesVersion ?? "Recommended" },
            { label: "Network", value: cluster.origin === "imported" ? "As it was imported" : network(cluster) },
            { label: "Storage prefix", value: decisions.storage?.prefix ?? "The cluster's own" },
            {
              label: "Administrators",
              value: (decisions.administrators ?? []).length > 0 ? decisions.administrators?.join(", ") : "None given",
            },
            { label: "Generation", value: cluster.generation },
            { label: "Cluster id", value: <span className="mono">{cluster.clusterId}</span> },
          ]}
        />
      </Container>
      <FittingTable
        items={groupsOf(cluster)}
        trackBy="name"
        columnDefinitions={COLUMNS}
        ariaLabels={{ tableLabel: "Instance groups as decided" }}
        header={<Header variant="h2">Instance groups</Header>}
        empty={<Empty title="No capacity was decided here" />}
      />
    </SpaceBetween>
  );
}
