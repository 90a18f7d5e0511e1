// States, always with their word beside the icon.
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { OperationState } from "../api/schema";
import { OPERATION_STATES, phase, type Tone } from "./words";

const SHORT = 26;

export function State({ text, tone }: { text: string; tone: Tone }) {
  // Short words are never broken in the middle by a narrow column; sentences wrap.
  return (
    <StatusIndicator type={tone} wrapText={text.length > SHORT}>
      <span className="words">{text}</span>
    </StatusIndicator>
  );
}

export const OperationStateText = ({ state }: { state: OperationState }) => <State {...OPERATION_STATES[state]} />;

export const PhaseText = ({ word }: { word: string }) => <State {...phase(word)} />;

/** Yes, no or unknown of Kubernetes' conditions; absent is said as such. */
export function Truth({ value, absent }: { value: string | undefined; absent: string }) {
  if (value === undefined) return <State text={absent} tone="pending" />;
  if (value === "True") return <State text="Yes" tone="success" />;
  return value === "False" ? <State text="No" tone="error" /> : <State text="Unknown" tone="warning" />;
}
