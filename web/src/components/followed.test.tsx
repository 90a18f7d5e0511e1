// A notice says how its operation stands, in words that change with the state alone.
import { describe, expect, it } from "vitest";
import type { OperationView } from "../api/schema";
import { standing } from "./followed";

const operation = (part: Partial<OperationView>): OperationView => ({
  operationId: "01J9ZB3V5K8M2N4P6Q7R8S9T0V",
  kind: "create_cluster",
  clusterTag: "team-a",
  state: "running",
  done: false,
  attempt: 1,
  summary: "",
  next: "",
  changes: 0,
  remaining: 0,
  principal: "person",
  createdAt: "2026-11-30T21:00:00Z",
  updatedAt: "2026-11-30T21:00:00Z",
  ...part,
});

describe("a notice", () => {
  it("stays the same while the operation runs, whatever it is doing", () => {
    const first = standing(operation({ stage: "control-plane", changes: 3 }));
    expect(standing(operation({ stage: "hyperpod", changes: 50 }))).toEqual(first);
    expect([first.type, first.header]).toEqual(["in-progress", "Create cluster: team-a: running"]);
  });

  it("says how it ended, with the cause of a failure and a decision that is awaited", () => {
    const failure = { code: "quota_exceeded" as const, message: "the quota is too small" };
    expect(standing(operation({ state: "failed", stage: "hyperpod", failure }))).toEqual({
      type: "error",
      header: "Create cluster: team-a: failed",
      content: "Stage HyperPod: The quota is too small",
    });
    expect(standing(operation({ state: "succeeded" })).type).toBe("success");
    expect(standing(operation({ state: "succeeded", outcome: { awaitingDecision: "groups" } })).header).toBe(
      "Create cluster: team-a: awaiting your decision",
    );
  });
});
