// States, always with their word beside the icon.
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { OperationState, StageState } from "../api/schema";
import { OPERATION_STATES, phase, STAGE_STATES, type Tone } from "./words";

export function State({ text, tone }: { text: string; tone: Tone }) {
  return <StatusIndicator type={tone}>{text}</StatusIndicator>;
}

export const StageStateText = ({ state }: { state: StageState }) => <State {...STAGE_STATES[state]} />;

export const OperationStateText = ({ state }: { state: OperationState }) => <State {...OPERATION_STATES[state]} />;

export const PhaseText = ({ word }: { word: string }) => <State {...phase(word)} />;

/** Yes, no or unknown of Kubernetes' conditions; absent is said as such. */
export function Truth({ value, absent }: { value: string | undefined; absent: string }) {
  if (value === undefined) return <State text={absent} tone="pending" />;
  if (value === "True") return <State text="Yes" tone="success" />;
  return value === "False" ? <State text="No" tone="error" /> : <State text="Unknown" tone="warning" />;
}
