// Figures of a plan as a whole.
import type { PlanView } from "../../api/schema";

export const changes = ({ stages }: PlanView): number => stages.reduce((sum, stage) => sum + stage.changes.length, 0);

/** All nodes of all groups. */
export const nodes = ({ groups }: PlanView): number => groups.reduce((sum, group) => sum + group.count, 0);

const hours = (minutes: number): string => {
  const whole = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${whole} h` : `${whole} h ${minutes % 60} min`;
};

/** `28 to 72 min`; from two hours on in hours. */
export function expectedTime({ stages }: PlanView): string {
  const from = stages.reduce((sum, stage) => sum + stage.minutesFrom, 0);
  const to = stages.reduce((sum, stage) => sum + stage.minutesTo, 0);
  return to < 120 ? `${from} to ${to} min` : `${hours(from)} to ${hours(to)}`;
}
