// Cancelling and retrying an operation, with what each means before it is asked for.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useAsking } from "../api/intention";
import { routes } from "../api/resources";
import type { OperationAccepted } from "../api/schema";
import { useNotices } from "./notices";
import { ProblemAlert } from "./problem-alert";

export type Command = "cancel" | "retry";

interface Props {
  command: Command;
  operationId: string;
  /** Which operation it is, for people. */
  what: string;
  close: () => void;
  accepted: () => void;
}

const WORDS: Record<Command, { header: string; button: string; dismiss: string }> = {
  cancel: { header: "Cancel this operation?", button: "Cancel operation", dismiss: "Keep it running" },
  retry: { header: "Try this operation again?", button: "Retry", dismiss: "Close" },
};

function Consequences({ command }: { command: Command }) {
  if (command === "retry") {
    return (
      <ul className="plain-list">
        <li>It goes on from the stage that it reached. What was made is kept and used; nothing is made twice.</li>
        <li>The world is looked at first, so what you mended meanwhile is seen.</li>
        <li>It is the same operation with a new attempt; its journal goes on.</li>
      </ul>
    );
  }
  return (
    <ul className="plain-list">
      <li>It stops before its next change. Nothing that was made is removed.</li>
      <li>AWS finishes what it has begun: a cluster that is being made becomes active, nodes go on launching.</li>
      <li>What is there is billed. Stop spending on the cluster's page sets all nodes to zero.</li>
      <li>It can be retried later.</li>
    </ul>
  );
}

export function CommandDialog({ command, operationId, what, close, accepted }: Props) {
  const { ask, busy, error } = useAsking<OperationAccepted>();
  const { follow } = useNotices();
  const words = WORDS[command];
  const submit = async () => {
    const answer = await ask(routes[command](operationId), {});
    if (!answer) return;
    follow(answer);
    accepted();
  };
  return (
    <Modal
      visible
      header={words.header}
      onDismiss={close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={close}>
              {words.dismiss}
            </Button>
            <Button variant="primary" loading={busy} onClick={() => void submit()}>
              {words.button}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        {error && <ProblemAlert error={error} />}
        <div>{what}</div>
        <Consequences command={command} />
      </SpaceBetween>
    </Modal>
  );
}
