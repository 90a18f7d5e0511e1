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

const BLOCK = 10;
const blockOf = ({ sequence }: JournalEntry) => Math.floor((sequence - 1) / BLOCK);

/** Neighbours of the same ten together, so that a change on top of the list leaves all others where they are. */
function blocks(entries: readonly JournalEntry[]): JournalEntry[][] {
  const found: JournalEntry[][] = [];
  for (const entry of entries) {
    const last = found.at(-1);
    if (last?.[0] && blockOf(last[0]) === blockOf(entry)) last.push(entry);
    else found.push([entry]);
  }
  return found;
}

interface BlockProps {
  entries: readonly JournalEntry[];
}

const areSame = (a: BlockProps, b: BlockProps) =>
  a.entries.length === b.entries.length && a.entries.every((entry, index) => entry === b.entries[index]);

// Drawn anew only if its entries are others.
const Block = memo(function Block({ entries }: BlockProps) {
  return (
    <Steps
      ariaLabel={`Journal, changes ${entries[0]?.sequence} to ${entries.at(-1)?.sequence}`}
      steps={entries.map(toStep)}
    />
  );
}, areSame);

const Entries = ({ entries }: BlockProps) =>
  blocks(entries).map((block) => <Block key={block[0] && blockOf(block[0])} entries={block} />);

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
      {shown.length === 0 ? (
        <Empty title="No refusals and nothing uncertain" />
      ) : (
        <div>
          <Entries entries={shown} />
        </div>
      )}
      {more > 0 && (
        <Button onClick={() => setMost(most + AT_ONCE)}>
          Show {Math.min(more, AT_ONCE)} more of {more}
        </Button>
      )}
    </SpaceBetween>
  );
}
