// Sums over a plan.
import { describe, expect, it } from "vitest";
import type { PlanView } from "../../api/schema";
import { changes, expectedTime, nodes } from "./plan-sums";

const plan = (minutes: [number, number][], counts: number[] = []) =>
  ({
    stages: minutes.map(([minutesFrom, minutesTo]) => ({ minutesFrom, minutesTo, changes: [{}] })),
    groups: counts.map((count) => ({ count })),
  }) as unknown as PlanView;

describe("a plan as a whole", () => {
  it("takes the time of all its stages", () => {
    expect(
      expectedTime(
        plan([
          [10, 16],
          [1, 2],
        ]),
      ),
    ).toBe("11 to 18 min");
    expect(
      expectedTime(
        plan([
          [50, 90],
          [10, 60],
        ]),
      ),
    ).toBe("1 h to 2 h 30 min");
  });

  it("counts changes and nodes", () => {
    expect([
      changes(
        plan([
          [1, 2],
          [3, 4],
        ]),
      ),
      nodes(plan([], [4, 1])),
    ]).toEqual([2, 5]);
  });
});
