// A request that failed, each kind with what helps: who is in the way, which right is missing, when to ask again.
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import CopyToClipboard from "@cloudscape-design/components/copy-to-clipboard";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type ApiError, headline, mayPass } from "../api/problem";
import { advice, capitalised } from "./advice";
import { AppLink } from "./app-link";

interface Props {
  error: ApiError;
  /** Whether the fields that are wrong are shown at the fields themselves. */
  fieldsShownElsewhere?: boolean;
  retry?: () => void;
}

function Reference({ what, id }: { what: string; id: string }) {
  return (
    <div>
      {what}{" "}
      <CopyToClipboard
        variant="inline"
        textToCopy={id}
        copyButtonAriaLabel={`Copy: ${what}`}
        copySuccessText="Copied"
        copyErrorText="It could not be copied"
      />
    </div>
  );
}

function References({ error: { problem } }: { error: ApiError }) {
  const { requestId, upstreamCode, upstreamRequestId } = problem;
  if (!requestId && !upstreamCode && !upstreamRequestId) return null;
  return (
    <Box variant="small" color="inherit">
      {requestId && <Reference what="Request id" id={requestId} />}
      {upstreamCode && <div>AWS code {upstreamCode}</div>}
      {upstreamRequestId && <Reference what="AWS request id" id={upstreamRequestId} />}
    </Box>
  );
}

/** The whole story of one problem. */
export function ProblemAlert({ error, fieldsShownElsewhere = false, retry }: Props) {
  const { problem } = error;
  const fields = fieldsShownElsewhere ? [] : (problem.errors ?? []);
  return (
    <Alert
      type={mayPass(error) ? "warning" : "error"}
      header={headline(error)}
      action={retry && <Button onClick={retry}>Try again</Button>}
    >
      <SpaceBetween size="xxs">
        <div>{capitalised(problem.detail)}</div>
        {advice(problem.action) && <div>{advice(problem.action)}</div>}
        {problem.operationId && (
          <div>
            In the way: <AppLink to={`/operations/${problem.operationId}`}>operation {problem.operationId}</AppLink>
          </div>
        )}
        {(problem.requiredScope ?? []).length > 0 && <div>Scopes needed: {problem.requiredScope?.join(", ")}</div>}
        {fields.length > 0 && (
          <ul className="plain-list">
            {fields.map(({ pointer, detail }) => (
              <li key={pointer + detail}>
                <Box variant="code" color="inherit">
                  {pointer.replace(/^#/, "") || "request"}
                </Box>{" "}
                {detail}
              </li>
            ))}
          </ul>
        )}
        {error.retryAfter !== undefined && <div>Ask again in {error.retryAfter} s.</div>}
        <References error={error} />
      </SpaceBetween>
    </Alert>
  );
}
