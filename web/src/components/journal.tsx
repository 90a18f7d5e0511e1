// An operation's journal as a timeline: each change with what came of it, when, what it made, and refusals in full.
import Box from "@cloudscape-design/components/box";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Steps, { type StepsProps } from "@cloudscape-design/components/steps";
import { useState } from "react";
import type { Fate, JournalEntry, StageName } from "../api/schema";
import { capitalised } from "./advice";
import { Empty } from "./resource";
import { span, Time } from "./time";
import { FATES, STAGE_TITLES } from "./words";

const ICONS: Record<Fate, StepsProps.Status> = {
  intended: "in-progress",
  applied: "success",
  refused: "error",
  uncertain: "warning",
  observed: "success",
};

const stageName = (stage: string | undefined) =>
  stage === undefined ? "Beside the stages" : (STAGE_TITLES[stage as StageName] ?? stage);

function Took({ entry }: { entry: JournalEntry }) {
  if (!entry.answeredAt) return <>no answer yet</>;
  const milliseconds = new Date(entry.answeredAt).getTime() - new Date(entry.intendedAt).getTime();
  return <>answered after {milliseconds < 1000 ? `${Math.max(0, milliseconds)} ms` : span(milliseconds)}</>;
}

function Refusal({ failure }: { failure: NonNullable<JournalEntry["failure"]> }) {
  const { upstream } = failure;
  const source = upstream && [
    `${upstream.service} ${upstream.operation}: ${upstream.code}`,
    upstream.requestId && `request ${upstream.requestId}`,
  ];
  return (
    <>
      <div className="wrap">{failure.message}</div>
      {source && <Box variant="small">{source.filter(Boolean).join(" · ")}</Box>}
      {failure.action && <div>{failure.action}</div>}
    </>
  );
}

function Entry({ entry }: { entry: JournalEntry }) {
  const made = Object.entries(entry.made ?? {});
  return (
    <SpaceBetween size="xxs">
      <Box variant="small">
        {stageName(entry.stage)} · attempt {entry.attempt} · <Time at={entry.intendedAt} /> · <Took entry={entry} /> ·{" "}
        <span className="mono">{entry.change}</span>
      </Box>
      {made.length > 0 && (
        <div className="wrap">
          {made.map(([name, id]) => (
            <div key={name}>
              {name} <span className="mono">{id}</span>
            </div>
          ))}
        </div>
      )}
      {entry.failure && <Refusal failure={entry.failure} />}
    </SpaceBetween>
  );
}

type Filter = "all" | "trouble";
const isTrouble = ({ fate, failure }: JournalEntry) => fate === "refused" || fate === "uncertain" || Boolean(failure);

export function Journal({ entries, running }: { entries: readonly JournalEntry[]; running: boolean }) {
  const [filter, setFilter] = useState<Filter>("all");
  const troubles = entries.filter(isTrouble);
  // Newest first while it runs, so that what happens is in view; in order once it has ended.
  const chosen = filter === "all" ? entries : troubles;
  const shown = running ? [...chosen].reverse() : chosen;
  if (entries.length === 0) {
    return (
      <Empty title="No changes yet">{running ? "It looks at the world first." : "Nothing had to be changed."}</Empty>
    );
  }
  return (
    <SpaceBetween size="m">
      <SegmentedControl
        label="Changes shown"
        selectedId={filter}
        onChange={({ detail }) => setFilter(detail.selectedId as Filter)}
        options={[
          { id: "all", text: `All (${entries.length})` },
          { id: "trouble", text: `Refused or uncertain (${troubles.length})` },
        ]}
      />
      {shown.length === 0 ? (
        <Empty title="No refusals and nothing uncertain" />
      ) : (
        <Steps
          ariaLabel="Journal"
          steps={shown.map((entry) => ({
            status: ICONS[entry.fate],
            statusIconAriaLabel: FATES[entry.fate].text,
            header: (
              <span className="words">
                {`${entry.sequence}. ${capitalised(entry.title)}: ${FATES[entry.fate].text.toLowerCase()}`}
              </span>
            ),
            details: <Entry entry={entry} />,
          }))}
        />
      )}
    </SpaceBetween>
  );
}
