// The six stages of a cluster in their order.
import Steps, { type StepsProps } from "@cloudscape-design/components/steps";
import { useNavigate } from "react-router";
import { useAsking } from "../../api/intention";
import { routes } from "../../api/resources";
import type { ClusterView, OperationAccepted, StageName, StageState } from "../../api/schema";
import { Announce } from "../announce";
import { useNotices } from "../notices";
import { ProblemAlert } from "../problem-alert";
import { STAGE_STATES } from "../words";
import { StageDetails } from "./stage-details";
import { spokenStages, stageTitle } from "./stage-view";

const ICONS: Record<StageState, StepsProps.Status> = {
  pending: "pending",
  running: "in-progress",
  awaiting_decision: "info",
  succeeded: "success",
  failed: "error",
  cancelled: "stopped",
};

interface Props {
  cluster: ClusterView;
  /** Called when something was started. */
  started: () => void;
}

export function StageSteps({ cluster, started }: Props) {
  const { ask, busy, error } = useAsking<OperationAccepted>();
  const { follow } = useNotices();
  const navigate = useNavigate();
  const run = async (stage: StageName) => {
    const accepted = await ask(routes.runStage(cluster.tag, stage), {});
    if (!accepted) return;
    follow(accepted);
    started();
    void navigate(`/clusters/${cluster.tag}`);
  };
  const held = Boolean(cluster.currentOperation);
  return (
    <>
      <Announce text={spokenStages(cluster.stages)} />
      {error && <ProblemAlert error={error} />}
      <Steps
        ariaLabel={`Stages of ${cluster.tag}`}
        steps={cluster.stages.map((stage) => ({
          status: ICONS[stage.state],
          statusIconAriaLabel: STAGE_STATES[stage.state].text,
          header: stageTitle(stage),
          details: (
            <StageDetails tag={cluster.tag} stage={stage} held={held} busy={busy} run={() => void run(stage.stage)} />
          ),
        }))}
      />
    </>
  );
}
