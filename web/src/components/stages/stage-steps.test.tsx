// The six stages as a person sees them.
import { render, screen, within } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { describe, expect, it } from "vitest";
import type { ClusterView, StageState, StageView } from "../../api/schema";
import { STAGES } from "../words";
import { StageSteps } from "./stage-steps";
import { spokenStages, stageAction } from "./stage-view";

const AT = "2026-11-30T21:00:00Z";

const stage = (index: number, state: StageState, part: Partial<StageView> = {}): StageView => ({
  stage: STAGES[index] ?? "verification",
  number: index + 1,
  state,
  attempts: state === "pending" ? 0 : 1,
  summary: `Summary ${index + 1}.`,
  ...part,
});

const cluster = (stages: StageView[], part: Partial<ClusterView> = {}): ClusterView => ({
  tag: "vision",
  clusterId: "01J",
  account: "111122223333",
  region: "us-west-2",
  origin: "created",
  eksClusterName: "vision",
  generation: 1,
  phase: "Failed",
  decisions: { tag: "vision", region: "us-west-2" },
  stages,
  conditions: [],
  createdAt: AT,
  createdBy: "person",
  ...part,
});

const show = (shown: ClusterView) =>
  render(
    <MemoryRouter>
      <StageSteps cluster={shown} started={() => {}} />
    </MemoryRouter>,
  );

const FAILED = stage(4, "failed", {
  failure: {
    code: "permission_denied",
    message: "The bucket cannot be read.",
    action: "Mend the role.",
    upstream: { service: "s3", operation: "ListObjectsV2", code: "AccessDenied", requestId: "4ZK2" },
  },
  made: ["addon aws-mountpoint-s3-csi-driver (create-addon)"],
});

describe("the stages", () => {
  it("say each state in a word", () => {
    const states: StageState[] = ["succeeded", "running", "cancelled", "awaiting_decision", "failed", "pending"];
    show(cluster(states.map((state, index) => stage(index, state))));
    for (const text of [
      "1. Control plane: succeeded",
      "2. Selection: running",
      "3. Dependencies: cancelled",
      "4. HyperPod: awaiting your decision",
      "5. Storage: failed",
      "6. Verification: pending",
    ]) {
      expect(screen.getByText(text)).toBeTruthy();
    }
  });

  it("of a failure give the cause, the service's code and request, what is left, and what to do", () => {
    const { container } = show(cluster([FAILED]));
    const said = container.textContent ?? "";
    for (const text of [
      "The bucket cannot be read.",
      "AccessDenied",
      "4ZK2",
      "aws-mountpoint-s3-csi-driver",
      "Mend the role.",
    ]) {
      expect(said).toContain(text);
    }
    expect(screen.getByRole("button", { name: "Run again: Storage" })).toBeTruthy();
  });

  it("say what they wait for, since when, and when it becomes a failure", () => {
    const waiting = {
      on: "nodes" as const,
      reason: "2 of 4 nodes are Running",
      since: AT,
      deadline: "2026-12-01T21:00:00Z",
      nextLookAt: AT,
      looks: 3,
    };
    const { container } = show(cluster([stage(3, "running", { waiting })], { currentOperation: "01K" }));
    const said = container.textContent ?? "";
    expect(said).toContain("Waiting for nodes: 2 of 4 nodes are Running");
    expect(said).toContain("01 Dec 2026, 21:00:00 UTC");
    expect(said).toContain("looked 3 times");
  });

  it("offer the decision where one is awaited", () => {
    const { container } = show(cluster([stage(3, "awaiting_decision")]));
    expect(within(container).getByRole("button", { name: "Decide capacity" })).toBeTruthy();
  });
});

describe("what can be done with a stage", () => {
  it.each([
    ["pending", "none"],
    ["running", "none"],
    ["awaiting_decision", "decide"],
    ["succeeded", "run"],
    ["failed", "run"],
    ["cancelled", "run"],
  ] as const)("that is %s is %s, and nothing while an operation holds the cluster", (state, action) => {
    expect(stageAction(stage(0, state), false)).toBe(action);
    expect(stageAction(stage(0, state), true)).toBe("none");
  });

  it("is told without the stages that have not begun", () => {
    expect(spokenStages([stage(0, "succeeded"), stage(1, "running"), stage(2, "pending")])).toBe(
      "Control plane: Succeeded. Selection: Running",
    );
  });
});
