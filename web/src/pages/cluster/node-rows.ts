// Nodes as rows of a tree: instance group, then its nodes. Groups without nodes are rows too: zero is said, not hidden.
import type { ClusterView, NodeView } from "../../api/schema";

export interface NodeRow {
  id: string;
  group: string;
  /** Absent: the row is the group itself. */
  node?: NodeView;
  nodes: readonly NodeView[];
  wanted?: number;
}

/** Instances that were decided for a group; nothing where the decision does not name it (an imported one). */
export function wantedOf({ decisions }: ClusterView, group: string): number | undefined {
  const capacity = decisions.hyperpod;
  if (group === "system" && capacity?.systemGroup) return capacity.systemGroup.instanceCount;
  return capacity?.instanceGroups?.[group]?.instanceCount;
}

function groupNames({ decisions }: ClusterView, nodes: readonly NodeView[]): string[] {
  const decided = Object.keys(decisions.hyperpod?.instanceGroups ?? {});
  const system = decisions.hyperpod?.systemGroup ? ["system"] : [];
  return [...new Set([...decided, ...system, ...nodes.map((node) => node.instanceGroup)])].sort();
}

/** The rows of the first level, a group each. */
export function groupRows(cluster: ClusterView, nodes: readonly NodeView[]): NodeRow[] {
  return groupNames(cluster, nodes).map((group) => ({
    id: `group ${group}`,
    group,
    nodes: nodes.filter((node) => node.instanceGroup === group),
    wanted: wantedOf(cluster, group),
  }));
}

/** The nodes of a group's row. A node without an instance yet has its place in the list for a name. */
export const nodeRows = (row: NodeRow): NodeRow[] =>
  row.node
    ? []
    : row.nodes.map((node, index) => ({
        id: `node ${row.group} ${node.instanceId ?? node.nodeName ?? index}`,
        group: row.group,
        node,
        nodes: [],
      }));
