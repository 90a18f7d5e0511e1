// The wizard's last page: the plan, and why a creation was refused.
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { ApiError } from "../../api/problem";
import { PlannedView } from "../../components/plan/planned";
import type { Planned } from "../../components/plan/use-plan";
import { ProblemAlert } from "../../components/problem-alert";

interface Props {
  planned: Planned;
  creatingError: ApiError | undefined;
  goTo: (pointer: string) => () => void;
}

export function PlanStep({ planned, creatingError, goTo }: Props) {
  return (
    <SpaceBetween size="l">
      {creatingError && <ProblemAlert error={creatingError} />}
      <PlannedView planned={planned} goTo={goTo} />
    </SpaceBetween>
  );
}
