// Said above what is shown while reads of it fail: why, and how old it is.
import SpaceBetween from "@cloudscape-design/components/space-between";
import StatusIndicator from "@cloudscape-design/components/status-indicator";
import type { Live } from "../api/live";
import { ProblemAlert } from "./problem-alert";
import { Time } from "./time";

function Stale({ readAt }: { readAt: string | undefined }) {
  return (
    <StatusIndicator type="warning" wrapText>
      <span className="words">
        Stale: read at <Time at={readAt} form="clock" />, <Time at={readAt} form="short" />. It may have changed since.
      </span>
    </StatusIndicator>
  );
}

export function ReadFailed({ live }: { live: Live<unknown> }) {
  const { data, error, readAt, refresh } = live;
  if (!error) return null;
  // That nothing answers is said once for the whole console, at its top.
  const isSaidAbove = error.status === 0 && data !== undefined;
  return (
    <SpaceBetween size="xs">
      {!isSaidAbove && <ProblemAlert error={error} retry={refresh} />}
      {data !== undefined && <Stale readAt={readAt} />}
    </SpaceBetween>
  );
}
