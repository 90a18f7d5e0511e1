// The tree of groups and nodes.
import { describe, expect, it } from "vitest";
import type { ClusterView, NodeView } from "../../api/schema";
import { groupRows, nodeRows } from "./node-rows";

const node = (instanceGroup: string, part: Partial<NodeView> = {}): NodeView => ({
  instanceGroup,
  instanceType: "ml.g6.4xlarge",
  status: "Running",
  joined: true,
  schedulable: true,
  accelerators: 1,
  efaInterfaces: 0,
  ...part,
});

const decided = (instanceCount: number) => ({ zoneId: "usw2-az2", instanceType: "ml.g6.4xlarge", instanceCount });

const cluster = {
  decisions: {
    tag: "a",
    region: "us-west-2",
    hyperpod: { instanceGroups: { workers: decided(2), empty: decided(0) }, systemGroup: decided(1) },
  },
} as unknown as ClusterView;

describe("the rows of nodes", () => {
  it("have a group for each that was decided or seen, empty ones too", () => {
    const rows = groupRows(cluster, [node("workers", { instanceId: "i-1" }), node("imported", { instanceId: "i-2" })]);
    expect(rows.map(({ group, nodes, wanted }) => [group, nodes.length, wanted])).toEqual([
      ["empty", 0, 0],
      ["imported", 1, undefined],
      ["system", 0, 1],
      ["workers", 1, 2],
    ]);
  });

  it("tell nodes apart that have no instance yet", () => {
    const pending = node("workers", { status: "Pending", joined: false });
    const workers = groupRows(cluster, [pending, pending]).find(({ group }) => group === "workers");
    const ids = nodeRows(workers ?? { id: "", group: "", nodes: [] }).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });
});
