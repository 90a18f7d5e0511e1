// Findings of checks, blocking ones first, each with what would be right and, where it is about a field, the way there.
import Box from "@cloudscape-design/components/box";
import Link from "@cloudscape-design/components/link";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { Finding } from "../api/schema";
import { capitalised } from "./advice";
import { State } from "./state";
import type { Tone } from "./words";

const SEVERITIES: Record<Finding["severity"], { text: string; tone: Tone; rank: number }> = {
  blocking: { text: "Blocking", tone: "error", rank: 0 },
  warning: { text: "Warning", tone: "warning", rank: 1 },
  unchecked: { text: "Unchecked", tone: "info", rank: 2 },
};

interface Props {
  findings: readonly Finding[];
  /** Goes to the field that a pointer names; answers nothing where there is none. */
  goTo?: (pointer: string) => (() => void) | undefined;
}

export const bySeverity = (a: Finding, b: Finding): number => SEVERITIES[a.severity].rank - SEVERITIES[b.severity].rank;

function Row({ finding, goTo }: { finding: Finding; goTo: Props["goTo"] }) {
  const { text, tone } = SEVERITIES[finding.severity];
  const go = finding.pointer === undefined ? undefined : goTo?.(finding.pointer);
  return (
    <li>
      <State text={text} tone={tone} />
      <div>{capitalised(finding.message)}</div>
      {finding.action && <Box color="text-body-secondary">{finding.action}</Box>}
      {go && (
        <Link
          href="#"
          ariaLabel={`Change ${finding.pointer}`}
          onFollow={(event) => {
            event.preventDefault();
            go();
          }}
        >
          Change this choice
        </Link>
      )}
    </li>
  );
}

export function Findings({ findings, goTo }: Props) {
  const sorted = [...findings].sort(bySeverity);
  return (
    <SpaceBetween size="s">
      <ul className="findings">
        {sorted.map((finding) => (
          <Row key={`${finding.pointer}${finding.code}${finding.message}`} finding={finding} goTo={goTo} />
        ))}
      </ul>
    </SpaceBetween>
  );
}
