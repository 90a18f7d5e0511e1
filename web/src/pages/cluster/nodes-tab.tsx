// Nodes: SageMaker's list joined with Kubernetes'. A node that never joined is a row with that said.
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useMemo, useState } from "react";
import { useNodes, type WholeNodeList } from "../../api/resources";
import type { ClusterView, NodeView } from "../../api/schema";
import { Announce } from "../../components/announce";
import { useColumns } from "../../components/columns";
import { FittingTable } from "../../components/fitting-table";
import { Empty, Resource } from "../../components/resource";
import { State, Truth } from "../../components/state";
import { Time } from "../../components/time";
import { count, type Tone } from "../../components/words";
import { groupRows, type NodeRow, nodeRows } from "./node-rows";

const SAGEMAKER: Record<string, Tone> = {
  Running: "success",
  Failure: "error",
  NotFound: "error",
  Pending: "pending",
  ShuttingDown: "stopped",
};

function Name({ row }: { row: NodeRow }) {
  if (row.node) {
    return (
      <>
        <span className="mono">{row.node.instanceId ?? "no instance yet"}</span>
        <Box variant="small" display="block">
          {row.node.joined ? row.node.nodeName : "Has not joined Kubernetes"}
        </Box>
      </>
    );
  }
  const wanted = row.wanted === undefined ? "" : ` of ${row.wanted} wanted`;
  return (
    <>
      <strong>{row.group}</strong> · {row.nodes.length}
      {wanted}
    </>
  );
}

const onNode = (cell: (node: NodeView) => React.ReactNode) => (row: NodeRow) => row.node && cell(row.node);

function Schedulable({ node }: { node: NodeView }) {
  const taints = node.taints ?? [];
  return (
    <>
      <State text={node.schedulable ? "Yes" : "No"} tone={node.schedulable ? "success" : "warning"} />
      {taints.length > 0 && <div className="wrap">{taints.join(", ")}</div>}
    </>
  );
}

function Health({ node }: { node: NodeView }) {
  const status = node.healthStatus;
  if (!status) return <State text="Unknown (no label)" tone="info" />;
  return (
    <>
      <State text={status} tone={status === "Schedulable" ? "success" : "warning"} />
      {node.faultTypes && <div>Faults: {node.faultTypes}</div>}
      {node.deepHealthCheckStatus && <div>Deep checks: {node.deepHealthCheckStatus}</div>}
    </>
  );
}

const sum = (row: NodeRow, of: (node: NodeView) => number) =>
  row.node ? of(row.node) : row.nodes.reduce((total, node) => total + of(node), 0);

// Shown when asked for: with all of them the first would not stand beside the last.
const HIDDEN = ["joined", "efa", "kubelet", "launched"];

const COLUMNS: TableProps.ColumnDefinition<NodeRow>[] = [
  { id: "name", header: "Group or instance", isRowHeader: true, minWidth: 200, cell: (row) => <Name row={row} /> },
  {
    id: "type",
    header: "Type and zone",
    minWidth: 120,
    cell: onNode((node) => (
      <>
        <div>{node.instanceType}</div>
        {node.zoneId}
      </>
    )),
  },
  {
    id: "status",
    header: "SageMaker",
    minWidth: 115,
    cell: onNode((node) => (
      <>
        <State text={node.status} tone={SAGEMAKER[node.status] ?? "in-progress"} />
        {node.message && <div>{node.message}</div>}
      </>
    )),
  },
  {
    id: "joined",
    header: "Kubernetes node",
    minWidth: 145,
    cell: onNode((node) =>
      node.joined ? <span className="wrap">{node.nodeName}</span> : <State text="Has not joined" tone="warning" />,
    ),
  },
  {
    id: "ready",
    header: "Ready",
    minWidth: 88,
    cell: onNode((node) => <Truth value={node.joined ? node.ready : undefined} absent="Not joined" />),
  },
  { id: "schedulable", header: "Schedulable", minWidth: 115, cell: onNode((node) => <Schedulable node={node} />) },
  { id: "health", header: "Health label", minWidth: 135, cell: onNode((node) => <Health node={node} />) },
  { id: "accelerators", header: "Accelerators", minWidth: 130, cell: (row) => sum(row, (node) => node.accelerators) },
  { id: "efa", header: "EFA", cell: (row) => sum(row, (node) => node.efaInterfaces) },
  { id: "kubelet", header: "Kubelet", cell: onNode((node) => node.kubeletVersion ?? "–") },
  {
    id: "launched",
    header: "Launched",
    minWidth: 120,
    cell: onNode((node) => <Time at={node.launchedAt} form="short" />),
  },
];

function NodesTable({ cluster, list, refresh }: { cluster: ClusterView; list: WholeNodeList; refresh: () => void }) {
  const rows = useMemo(() => groupRows(cluster, list.items), [cluster, list]);
  // Groups are open unless they were closed.
  const columns = useColumns("nodes", COLUMNS, HIDDEN);
  const [closed, setClosed] = useState<readonly string[]>([]);
  const summary = `${list.running} of ${list.wanted} wanted running, ${list.schedulable} schedulable`;
  return (
    <SpaceBetween size="s">
      <Announce text={summary} />
      {list.kubernetesUnknown && (
        <Alert type="warning" header="Kubernetes' side is unknown">
          {list.kubernetesUnknown}
        </Alert>
      )}
      <FittingTable
        items={rows}
        trackBy="id"
        columnDefinitions={COLUMNS}
        {...columns}
        foldFirst={["accelerators"]}
        enableKeyboardNavigation
        ariaLabels={{
          tableLabel: "Nodes",
          expandButtonLabel: (row) => `Show the nodes of ${row.group}`,
          collapseButtonLabel: (row) => `Hide the nodes of ${row.group}`,
        }}
        expandableRows={{
          getItemChildren: nodeRows,
          isItemExpandable: (row) => !row.node && row.nodes.length > 0,
          expandedItems: rows.filter((row) => !closed.includes(row.id)),
          onExpandableItemToggle: ({ detail }) =>
            setClosed((held) => [
              ...held.filter((id) => id !== detail.item.id),
              ...(detail.expanded ? [] : [detail.item.id]),
            ]),
        }}
        header={
          <Header
            variant="h2"
            counter={`(${list.items.length})`}
            description={summary}
            actions={<Button iconName="refresh" ariaLabel="Refresh the nodes" onClick={refresh} />}
          >
            Nodes
          </Header>
        }
        empty={
          <Empty title="No nodes">
            {list.wanted === 0 ? "No nodes are wanted." : `${count(list.wanted, "node")} wanted, none there yet.`}
          </Empty>
        }
      />
    </SpaceBetween>
  );
}

export function NodesTab({ cluster, moving }: { cluster: ClusterView; moving: boolean }) {
  const live = useNodes(cluster.tag, moving);
  return (
    <Resource live={live} what="the nodes">
      {(list) => <NodesTable cluster={cluster} list={list} refresh={live.refresh} />}
    </Resource>
  );
}
