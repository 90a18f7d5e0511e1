// What came of a stage or an operation: in a sentence, its checks with their figures, and all of it as a tree.
import SpaceBetween from "@cloudscape-design/components/space-between";
import { checks, sentence } from "./outcome";
import { State } from "./state";
import { Values } from "./values";

function Checks({ outcome }: { outcome: unknown }) {
  const all = checks(outcome);
  if (all.length === 0) return null;
  return (
    <ul className="plain-list">
      {all.map(({ name, figure, passed }) => (
        <li key={name}>
          <State text={`${name}: ${passed ? "passed" : "failed"}`} tone={passed ? "success" : "error"} />{" "}
          {figure && <span className="wrap">{figure}</span>}
        </li>
      ))}
    </ul>
  );
}

export function OutcomeDetails({ outcome }: { outcome: unknown }) {
  const told = sentence(outcome);
  const isWhole = told !== "" && checks(outcome).length > 0;
  return (
    <SpaceBetween size="xs">
      {told && <div className="wrap">{told}</div>}
      <Checks outcome={outcome} />
      {!isWhole && <Values title="What came of it" value={outcome} />}
    </SpaceBetween>
  );
}
