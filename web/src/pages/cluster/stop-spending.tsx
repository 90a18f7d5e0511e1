// Stopping all spending on nodes: what is lost, what goes on billing, and the cluster's name typed before it happens.
import Alert from "@cloudscape-design/components/alert";
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import FormField from "@cloudscape-design/components/form-field";
import Input from "@cloudscape-design/components/input";
import Modal from "@cloudscape-design/components/modal";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { type FormEvent, useState } from "react";
import { useAsking } from "../../api/intention";
import { routes } from "../../api/resources";
import type { OperationAccepted } from "../../api/schema";
import { useNotices } from "../../components/notices";
import { ProblemAlert } from "../../components/problem-alert";

interface Props {
  tag: string;
  close: () => void;
  accepted: (operationId: string) => void;
}

function Consequences() {
  return (
    <SpaceBetween size="m">
      <Alert type="warning" header="What is lost">
        Every instance group is set to zero. All that runs on the nodes ends, and what is only on their disks is gone.
        Spot and on-demand capacity may not come back when you want it again.
      </Alert>
      <div>
        <strong>What stays and goes on billing:</strong>
        <ul className="plain-list">
          <li>the EKS control plane and the NAT gateway, by the hour;</li>
          <li>what is in the project bucket, by its size;</li>
          <li>training plans, which are paid for until their end whether nodes run or not.</li>
        </ul>
      </div>
    </SpaceBetween>
  );
}

export function StopSpendingDialog({ tag, close, accepted }: Props) {
  const [typed, setTyped] = useState("");
  const { follow } = useNotices();
  const { ask, busy, error } = useAsking<OperationAccepted>();
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (typed !== tag) return;
    const answer = await ask(routes.stopSpending(tag), {});
    if (!answer) return;
    follow(answer);
    accepted(answer.operationId);
  };
  return (
    <Modal
      visible
      header={`Stop spending on ${tag}`}
      onDismiss={close}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={close}>
              Cancel
            </Button>
            <Button variant="primary" disabled={typed !== tag} loading={busy} onClick={() => void submit()}>
              Stop spending
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form onSubmit={(event) => void submit(event)}>
        <SpaceBetween size="m">
          {error && <ProblemAlert error={error} />}
          <Consequences />
          <FormField label={`To confirm, type ${tag}`}>
            <Input
              value={typed}
              placeholder={tag}
              autoComplete={false}
              onChange={({ detail }) => setTyped(detail.value)}
            />
          </FormField>
        </SpaceBetween>
      </form>
    </Modal>
  );
}
