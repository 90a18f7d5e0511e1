// A plan that is being made, could not be made, or is there.
import Box from "@cloudscape-design/components/box";
import Link from "@cloudscape-design/components/link";
import LiveRegion from "@cloudscape-design/components/live-region";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Spinner from "@cloudscape-design/components/spinner";
import { ProblemAlert } from "../problem-alert";
import { Plan } from "./plan-view";
import type { Planned } from "./use-plan";

interface Props {
  planned: Planned;
  goTo?: (pointer: string) => (() => void) | undefined;
}

function FieldsToMend({ planned, goTo }: Props) {
  const errors = planned.error?.problem.errors ?? [];
  const reachable = errors.map((field) => ({ ...field, go: goTo?.(field.pointer) })).filter(({ go }) => go);
  if (reachable.length === 0) return null;
  return (
    <ul className="plain-list">
      {reachable.map(({ pointer, detail, go }) => (
        <li key={pointer + detail}>
          {detail}{" "}
          <Link
            href="#"
            ariaLabel={`Change ${pointer}`}
            onFollow={(event) => {
              event.preventDefault();
              go?.();
            }}
          >
            Change this choice
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function PlannedView({ planned, goTo }: Props) {
  const { plan, error, loading, again } = planned;
  if (loading) {
    return (
      <LiveRegion>
        <Box textAlign="center" padding="xxl">
          <Spinner /> Checking quotas, zones, addresses, names, permissions and prices. Nothing is changed.
        </Box>
      </LiveRegion>
    );
  }
  if (!error && !plan) return null;
  return (
    <SpaceBetween size="l">
      {error && <ProblemAlert error={error} retry={again} fieldsShownElsewhere={Boolean(goTo)} />}
      {error && <FieldsToMend planned={planned} goTo={goTo} />}
      {plan && <Plan plan={plan} goTo={goTo} />}
    </SpaceBetween>
  );
}
