// One operation: where it is, what it waits for or why it ended, and its journal, live.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import ProgressBar from "@cloudscape-design/components/progress-bar";
import SpaceBetween from "@cloudscape-design/components/space-between";
import { useState } from "react";
import { useParams } from "react-router";
import { useJournal, useOperation } from "../api/resources";
import type { OperationView } from "../api/schema";
import { Announce } from "../components/announce";
import { advice } from "../components/advice";
import { AppLink } from "../components/app-link";
import { FailureDetails, LeftList } from "../components/failure-details";
import { Journal } from "../components/journal";
import { type Command, CommandDialog } from "../components/operation-commands";
import { OutcomeDetails } from "../components/outcome-details";
import { Resource } from "../components/resource";
import { OperationStateText } from "../components/state";
import { Time } from "../components/time";
import { WaitingDetails } from "../components/waiting-details";
import { count, kind, OPERATION_STATES, STAGE_TITLES } from "../components/words";
import { usePageTitle } from "../page-title";

// One that failed has the button beside its cause.
const canRetry = ({ state }: OperationView) => state === "cancelled";
const canCancel = ({ done }: OperationView) => !done;

function Progress({ operation }: { operation: OperationView }) {
  const all = operation.changes + operation.remaining;
  if (operation.done || all === 0) return null;
  return (
    <ProgressBar
      label="Changes"
      value={Math.round((100 * operation.changes) / all)}
      additionalInfo="As last planned; later stages add theirs when they are reached."
      description={`${operation.changes} made or tried, ${operation.remaining} remain`}
    />
  );
}

function Left({ operation }: { operation: OperationView }) {
  const left = operation.left ?? [];
  if (operation.failure || operation.state !== "cancelled" || left.length === 0) return null;
  return (
    <Alert type="warning" header="What is left and may be billed">
      <LeftList lines={left} />
    </Alert>
  );
}

function Overview({ operation }: { operation: OperationView }) {
  return (
    <Container header={<Header variant="h2">Overview</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={4}
          items={[
            { label: "State", value: <OperationStateText state={operation.state} /> },
            {
              label: "Cluster",
              value: <AppLink to={`/clusters/${operation.clusterTag}`}>{operation.clusterTag}</AppLink>,
            },
            { label: "Stage", value: operation.stage ? STAGE_TITLES[operation.stage] : "None" },
            { label: "Attempt", value: operation.attempt },
            { label: "Asked for", value: <Time at={operation.createdAt} /> },
            { label: "Asked for by", value: operation.principal },
            { label: "Changed last", value: <Time at={operation.updatedAt} /> },
            { label: "Ended", value: operation.finishedAt ? <Time at={operation.finishedAt} /> : "Not yet" },
          ]}
        />
        <div className="wrap">{operation.summary}</div>
        {operation.waiting && <WaitingDetails waiting={operation.waiting} />}
        <Progress operation={operation} />
        {!operation.failure && advice(operation.next) && (
          <div>
            <strong>What to do next:</strong> {advice(operation.next)}
          </div>
        )}
        <OutcomeDetails outcome={operation.outcome} />
      </SpaceBetween>
    </Container>
  );
}

function Shown({ operation, retry }: { operation: OperationView; retry: () => void }) {
  const journal = useJournal(operation.operationId, !operation.done);
  const spoken = `${OPERATION_STATES[operation.state].text}. ${operation.summary}`;
  return (
    <SpaceBetween size="l">
      <Announce text={spoken} />
      {operation.note && <Alert>{operation.note}</Alert>}
      {operation.failure && (
        <FailureDetails
          failure={operation.failure}
          header={`Failed${operation.stage ? ` in ${STAGE_TITLES[operation.stage]}` : ""}`}
          done={`${count(operation.changes, "change")} made or tried, ${operation.remaining} still to do; the timeline has each.`}
          left={operation.left}
          action={<Button onClick={retry}>Retry</Button>}
        />
      )}
      <Left operation={operation} />
      <Overview operation={operation} />
      <Resource live={journal} what="the journal">
        {(entries) => (
          <Container
            header={
              <Header
                variant="h2"
                counter={`(${entries.length})`}
                description={`${count(entries.length, "change")}, each written down before it was sent.`}
              >
                Timeline
              </Header>
            }
          >
            <Journal entries={entries} running={!operation.done} />
          </Container>
        )}
      </Resource>
    </SpaceBetween>
  );
}

export default function Operation() {
  const { id = "" } = useParams();
  const live = useOperation(id);
  const [command, setCommand] = useState<Command>();
  const operation = live.data;
  const actions = operation && (
    <SpaceBetween direction="horizontal" size="xs">
      <Button iconName="refresh" ariaLabel="Refresh the operation" onClick={live.refresh} />
      {canCancel(operation) && <Button onClick={() => setCommand("cancel")}>Cancel operation</Button>}
      {canRetry(operation) && (
        <Button variant="primary" onClick={() => setCommand("retry")}>
          Retry
        </Button>
      )}
    </SpaceBetween>
  );
  const title = operation ? `${kind(operation.kind)}: ${operation.clusterTag}` : "Operation";
  usePageTitle(title);
  return (
    <ContentLayout
      header={
        <Header variant="h1" actions={actions} description={<span className="mono">{id}</span>}>
          {title}
        </Header>
      }
    >
      <Resource live={live} what="the operation">
        {(shown) => <Shown operation={shown} retry={() => setCommand("retry")} />}
      </Resource>
      {command && operation && (
        <CommandDialog
          command={command}
          operationId={operation.operationId}
          what={`${kind(operation.kind)} of ${operation.clusterTag}`}
          close={() => setCommand(undefined)}
          accepted={() => {
            setCommand(undefined);
            live.refresh();
          }}
        />
      )}
    </ContentLayout>
  );
}
