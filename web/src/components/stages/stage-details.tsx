// What one stage says of itself: state in a word, what it waits for, why it failed, what it made, what remains.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useStage } from "../../api/resources";
import type { StageView } from "../../api/schema";
import { advice } from "../advice";
import { AppLink } from "../app-link";
import { FailureDetails } from "../failure-details";
import { sentence } from "../outcome";
import { OutcomeDetails } from "../outcome-details";
import { Resource } from "../resource";
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

function Whole({ tag, stage }: { tag: string; stage: StageView }) {
  const live = useStage(tag, stage.stage);
  return (
    <Resource live={live} what="the stage">
      {(whole) => (
        <SpaceBetween size="s">
          {!whole.failure && <Lines title="Made so far" lines={whole.made} />}
          <OutcomeDetails outcome={whole.outcome} />
          <Values title="What was seen" value={whole.observed} />
        </SpaceBetween>
      )}
    </Resource>
  );
}

/** What only some want to see, behind one click and read only then. */
function More({ tag, stage }: { tag: string; stage: StageView }) {
  const [open, setOpen] = useState(false);
  if (stage.attempts === 0) return null;
  const title = STAGE_TITLES[stage.stage];
  return (
    <ExpandableSection
      variant="footer"
      headerText="Details"
      headerAriaLabel={`Details of ${title}`}
      expanded={open}
      onChange={({ detail }) => setOpen(detail.expanded)}
    >
      {open && <Whole tag={tag} stage={stage} />}
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

/** What a stage that is done came to; else what it says of itself. */
const told = (stage: StageView): string => (stage.state === "succeeded" && sentence(stage.outcome)) || stage.summary;

const done = ({ made = [], remaining = [] }: StageView): string =>
  `${count(made.length, "thing")} made, ${count(remaining.length, "step")} still to do.`;

export function StageDetails(props: Props) {
  const { stage } = props;
  const isQuiet = stage.state === "pending";
  return (
    <SpaceBetween size="xs">
      {!stage.failure && (
        <Box color={isQuiet ? "text-body-secondary" : "inherit"}>
          {isQuiet ? STAGE_PURPOSES[stage.stage] : told(stage)}
        </Box>
      )}
      {stage.waiting && <WaitingDetails waiting={stage.waiting} />}
      {stage.failure && (
        <FailureDetails
          failure={stage.failure}
          header={`${STAGE_TITLES[stage.stage]} failed`}
          done={done(stage)}
          left={stage.made}
          action={<Action {...props} />}
        />
      )}
      {!stage.failure && advice(stage.next) && <div>{advice(stage.next)}</div>}
      <Times stage={stage} />
      {!stage.failure && <Action {...props} />}
      {stage.state !== "succeeded" && <Lines title="Still to be done, as last planned" lines={stage.remaining} />}
      <More tag={props.tag} stage={stage} />
    </SpaceBetween>
  );
}
