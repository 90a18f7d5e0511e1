// A failure: cause, the service's own words for it, what was done, what is left and billed, what to do.
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { ReactNode } from "react";
import type { Failure } from "../api/schema";
import { advice, capitalised } from "./advice";
import { readLeft } from "./left";
import { count } from "./words";

interface Props {
  failure: Failure;
  header: string;
  /** What was done until it failed, one sentence. */
  done?: string;
  /** What it left behind, a line each. */
  left?: readonly string[];
  action?: ReactNode;
}

function UpstreamLine({ upstream }: { upstream: NonNullable<Failure["upstream"]> }) {
  return (
    <div>
      <strong>AWS code:</strong>{" "}
      <Box variant="code" color="inherit">
        {upstream.code}
      </Box>{" "}
      of {upstream.service} {upstream.operation}
      {upstream.requestId && (
        <>
          {" "}
          · <strong>request id</strong>{" "}
          <CopyToClipboard
            variant="inline"
            textToCopy={upstream.requestId}
            copyButtonAriaLabel="Copy the request id"
            copySuccessText="Request id copied"
            copyErrorText="The request id could not be copied"
          />
        </>
      )}
    </div>
  );
}

/** What is there, what of it costs money at the head. */
export function LeftList({ lines }: { lines: readonly string[] }) {
  const left = readLeft(lines);
  const billed = left.filter((one) => one.billed).length;
  if (left.length === 0) return <>Nothing is known to be left.</>;
  return (
    <>
      {count(left.length, "thing")}, {billed > 0 ? `${billed} of them billed` : "none of them billed by itself"}.
      <ul className="plain-list">
        {left.map(({ line, what, id, billed: how }) => (
          <li key={line} className="wrap" title={line}>
            {what} <span className="mono">{id}</span>
            {how && <strong> ({how})</strong>}
          </li>
        ))}
      </ul>
    </>
  );
}

export function FailureDetails({ failure, header, done, left = [], action }: Props) {
  const mend = advice(failure.action) || "Look at the cause and mend it; then try again.";
  return (
    <Alert type="error" header={header} action={action}>
      <SpaceBetween size="xs">
        <div>
          <strong>Cause:</strong> {capitalised(failure.message)}{" "}
          <Box variant="code" color="inherit">
            {failure.code}
          </Box>
        </div>
        {failure.upstream && <UpstreamLine upstream={failure.upstream} />}
        <div>
          <strong>What to do:</strong> {mend}
        </div>
        {done && (
          <div>
            <strong>What was done:</strong> {done}
          </div>
        )}
        <div>
          <strong>What is left:</strong> <LeftList lines={left} />
        </div>
      </SpaceBetween>
    </Alert>
  );
}
