// What a stage's card says and offers, decided apart from how it is drawn.
import type { StageView } from "../../api/schema";
import { STAGE_STATES, STAGE_TITLES } from "../words";

export type StageAction = "run" | "decide" | "none";

/** `3. Dependencies: running`: the state is always said, not only coloured. */
export const stageTitle = ({ number, stage, state }: StageView): string =>
  `${number}. ${STAGE_TITLES[stage]}: ${STAGE_STATES[state].text.toLowerCase()}`;

/** What a person can do with a stage. While the cluster is held by an operation nothing can be started. */
export function stageAction({ state }: StageView, held: boolean): StageAction {
  if (state === "awaiting_decision") return held ? "none" : "decide";
  const settled = state === "succeeded" || state === "failed" || state === "cancelled";
  return settled && !held ? "run" : "none";
}

/** Whether running again is what the state asks for, so that the button stands out. */
export const isRunWanted = ({ state }: StageView): boolean => state === "failed" || state === "cancelled";

/** One sentence for those who hear the page: states that matter now. */
export function spokenStages(stages: readonly StageView[]): string {
  const told = stages.filter(({ state }) => state !== "pending");
  return told.map((stage) => `${STAGE_TITLES[stage.stage]}: ${STAGE_STATES[stage.state].text}`).join(". ");
}
