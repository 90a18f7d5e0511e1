// An operation's journal as a timeline: each change with what came of it, when, what it made, and refusals in full.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Steps, { type StepsProps } from "@cloudscape-design/components/steps";
import { memo, useMemo, useState } from "react";
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
  return (
    <>
      <div className="wrap">{failure.message}</div>
      {upstream && (
        <Box variant="small">
          {upstream.service} {upstream.operation}: {upstream.code}
          {upstream.requestId && (
            <>
              {" "}
              · request{" "}
              <CopyToClipboard
                variant="inline"
                textToCopy={upstream.requestId}
                copyButtonAriaLabel="Copy the request id of this change"
                copySuccessText="Request id copied"
                copyErrorText="The request id could not be copied"
              />
            </>
          )}
        </Box>
      )}
      {failure.action && <div>{failure.action}</div>}
    </>
  );
}

function Entry({ entry }: { entry: JournalEntry }) {
  const made = Object.entries(entry.made ?? {});
  return (
    <SpaceBetween size="xxs">
      <Box variant="small">
        {stageName(entry.stage)} · attempt {entry.attempt} · <Time at={entry.intendedAt} form="clock" /> ·{" "}
        <Took entry={entry} /> · <span className="mono">{entry.change}</span>
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
type Order = "newest" | "oldest";
const isTrouble = ({ fate, failure }: JournalEntry) => fate === "refused" || fate === "uncertain" || Boolean(failure);
const AT_ONCE = 50;

const toStep = (entry: JournalEntry): StepsProps.Step => ({
  status: ICONS[entry.fate],
  statusIconAriaLabel: FATES[entry.fate].text,
  header: (
    <span className="words">
      {`${entry.sequence}. ${capitalised(entry.title)}: ${FATES[entry.fate].text.toLowerCase()}`}
    </span>
  ),
  details: <Entry entry={entry} />,
});

// Drawn anew only if its entries are others.
const Entries = memo(function Entries({ entries }: { entries: readonly JournalEntry[] }) {
  return <Steps ariaLabel="Journal" steps={entries.map(toStep)} />;
});

function Choices({
  entries,
  filter,
  order,
  setFilter,
  setOrder,
}: {
  entries: readonly JournalEntry[];
  filter: Filter;
  order: Order;
  setFilter: (filter: Filter) => void;
  setOrder: (order: Order) => void;
}) {
  return (
    <SpaceBetween direction="horizontal" size="s">
      <SegmentedControl
        label="Changes shown"
        selectedId={filter}
        onChange={({ detail }) => setFilter(detail.selectedId as Filter)}
        options={[
          { id: "all", text: `All (${entries.length})` },
          { id: "trouble", text: `Refused or uncertain (${entries.filter(isTrouble).length})` },
        ]}
      />
      <SegmentedControl
        label="Order of the changes"
        selectedId={order}
        onChange={({ detail }) => setOrder(detail.selectedId as Order)}
        options={[
          { id: "newest", text: "Newest first" },
          { id: "oldest", text: "Oldest first" },
        ]}
      />
    </SpaceBetween>
  );
}

export function Journal({ entries, running }: { entries: readonly JournalEntry[]; running: boolean }) {
  const [filter, setFilter] = useState<Filter>("all");
  const [order, setOrder] = useState<Order>("newest");
  const [most, setMost] = useState(AT_ONCE);
  // Newest first also once it has ended: nothing turns around under the reader's eyes.
  const chosen = useMemo(() => {
    const matching = filter === "all" ? entries : entries.filter(isTrouble);
    return order === "newest" ? [...matching].reverse() : matching;
  }, [entries, filter, order]);
  const shown = useMemo(() => chosen.slice(0, most), [chosen, most]);
  if (entries.length === 0) {
    return (
      <Empty title="No changes yet">{running ? "It looks at the world first." : "Nothing had to be changed."}</Empty>
    );
  }
  const more = chosen.length - shown.length;
  return (
    <SpaceBetween size="m">
      <Choices entries={entries} filter={filter} order={order} setFilter={setFilter} setOrder={setOrder} />
      {shown.length === 0 ? <Empty title="No refusals and nothing uncertain" /> : <Entries entries={shown} />}
      {more > 0 && (
        <Button onClick={() => setMost(most + AT_ONCE)}>
          Show {Math.min(more, AT_ONCE)} more of {more}
        </Button>
      )}
    </SpaceBetween>
  );
}
