// A failure: cause, the service's own words for it, what it left behind, what to do.
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { ReactNode } from "react";
import { advice, capitalised } from "./advice";
import type { Failure } from "../api/schema";

interface Props {
  failure: Failure;
  header: string;
  /** What it left behind, a line each. */
  left?: readonly string[];
  action?: ReactNode;
}

function UpstreamLine({ upstream }: { upstream: NonNullable<Failure["upstream"]> }) {
  return (
    <div>
      {upstream.service} {upstream.operation} answered{" "}
      <Box variant="code" color="inherit">
        {upstream.code}
      </Box>
      {upstream.requestId && (
        <>
          {" "}
          · request{" "}
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

export function FailureDetails({ failure, header, left = [], action }: Props) {
  return (
    <Alert type="error" header={header} action={action}>
      <SpaceBetween size="xs">
        <div>
          {capitalised(failure.message)}{" "}
          <Box variant="code" color="inherit">
            {failure.code}
          </Box>
        </div>
        {failure.upstream && <UpstreamLine upstream={failure.upstream} />}
        {advice(failure.action) && (
          <div>
            <strong>What to do:</strong> {advice(failure.action)}
          </div>
        )}
        <div>
          <strong>What is left:</strong> {left.length === 0 && "nothing is known to be left."}
          {left.length > 0 && (
            <ul className="plain-list">
              {left.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
        </div>
      </SpaceBetween>
    </Alert>
  );
}
