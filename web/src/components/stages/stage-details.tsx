// What one stage says of itself: state in a word, what it waits for, why it failed, what it made, what remains.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useNavigate } from "react-router";
import type { StageView } from "../../api/schema";
import { advice } from "../advice";
import { AppLink } from "../app-link";
import { FailureDetails } from "../failure-details";
import { Time } from "../time";
import { Values } from "../values";
import { WaitingDetails } from "../waiting-details";
import { count, STAGE_PURPOSES, STAGE_TITLES } from "../words";
import { isRunWanted, stageAction } from "./stage-view";

interface Props {
  tag: string;
  stage: StageView;
  /** Whether an operation holds the cluster. */
  held: boolean;
  busy: boolean;
  run: () => void;
}

function Lines({ title, lines }: { title: string; lines: readonly string[] | undefined }) {
  if (!lines || lines.length === 0) return null;
  return (
    <div>
      <Box variant="awsui-key-label">{title}</Box>
      <ul className="plain-list">
        {lines.map((line) => (
          <li key={line} className="wrap">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What only some want to see, behind one click. */
function More({ stage }: { stage: StageView }) {
  const made = stage.failure ? [] : (stage.made ?? []);
  const hasValues = stage.observed !== undefined || stage.outcome !== undefined;
  if (made.length === 0 && !hasValues) return null;
  const title = STAGE_TITLES[stage.stage];
  return (
    <ExpandableSection variant="footer" headerText="Details" headerAriaLabel={`Details of ${title}`}>
      <SpaceBetween size="s">
        <Lines title="Made so far" lines={made} />
        <Values title="What was seen" value={stage.observed} />
        <Values title="What came of it" value={stage.outcome} />
      </SpaceBetween>
    </ExpandableSection>
  );
}

function Times({ stage }: { stage: StageView }) {
  if (!stage.startedAt) return null;
  return (
    <Box variant="small">
      Run {count(stage.attempts, "time")} · began <Time at={stage.startedAt} />
      {stage.finishedAt && (
        <>
          {" "}
          · ended <Time at={stage.finishedAt} form="short" />
        </>
      )}
      {stage.operationId && (
        <>
          {" "}
          ·{" "}
          <AppLink
            to={`/operations/${stage.operationId}`}
            fontSize="inherit"
            ariaLabel={`Operation of ${STAGE_TITLES[stage.stage]}`}
          >
            operation
          </AppLink>
        </>
      )}
    </Box>
  );
}

function Action({ tag, stage, held, busy, run }: Props) {
  const navigate = useNavigate();
  const action = stageAction(stage, held);
  const title = STAGE_TITLES[stage.stage];
  if (action === "decide") {
    return (
      <Button variant="primary" onClick={() => void navigate(`/clusters/${tag}/capacity`)}>
        Decide capacity
      </Button>
    );
  }
  if (action === "none") return null;
  const variant = isRunWanted(stage) ? "primary" : "inline-link";
  return (
    <Button variant={variant} loading={busy} ariaLabel={`Run again: ${title}`} onClick={run}>
      Run again
    </Button>
  );
}

export function StageDetails(props: Props) {
  const { stage } = props;
  const isQuiet = stage.state === "pending";
  return (
    <SpaceBetween size="xs">
      {!stage.failure && (
        <Box color={isQuiet ? "text-body-secondary" : "inherit"}>
          {isQuiet ? STAGE_PURPOSES[stage.stage] : stage.summary}
        </Box>
      )}
      {stage.waiting && <WaitingDetails waiting={stage.waiting} />}
      {stage.failure && (
        <FailureDetails
          failure={stage.failure}
          header={`${STAGE_TITLES[stage.stage]} failed`}
          left={stage.made}
          action={<Action {...props} />}
        />
      )}
      {!stage.failure && advice(stage.next) && <div>{advice(stage.next)}</div>}
      <Times stage={stage} />
      {!stage.failure && <Action {...props} />}
      {stage.state !== "succeeded" && <Lines title="Still to be done, as last planned" lines={stage.remaining} />}
      <More stage={stage} />
    </SpaceBetween>
  );
}
