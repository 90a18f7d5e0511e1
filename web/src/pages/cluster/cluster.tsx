// One cluster: what to do next, the six stages, and by tab its nodes, subnets, operations and decisions.
import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Tabs from "@cloudscape-design/components/tabs";
import { useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { isMoving, useCluster } from "../../api/resources";
import type { ClusterView, StageView } from "../../api/schema";
import { advice, capitalised } from "../../components/advice";
import { AppLink } from "../../components/app-link";
import { CommandDialog } from "../../components/operation-commands";
import { OperationsTable } from "../../components/operations-table";
import { Resource } from "../../components/resource";
import { StageSteps } from "../../components/stages/stage-steps";
import { PhaseText } from "../../components/state";
import { Time } from "../../components/time";
import { STAGE_TITLES } from "../../components/words";
import { usePageTitle } from "../../page-title";
import { ConditionsTable } from "./conditions";
import { DecisionsTab } from "./decisions-tab";
import { NodesTab } from "./nodes-tab";
import { StopSpendingDialog } from "./stop-spending";
import { SubnetsTab } from "./subnets-tab";

const isWaitingForDecision = (cluster: ClusterView) =>
  !cluster.currentOperation && cluster.stages.some(({ state }) => state === "awaiting_decision");

const hasCapacity = (cluster: ClusterView) =>
  cluster.stages.some(
    ({ stage, state }) => stage === "hyperpod" && state !== "pending" && state !== "awaiting_decision",
  );

function Overview({ cluster }: { cluster: ClusterView }) {
  return (
    <Container header={<Header variant="h2">Overview</Header>}>
      <KeyValuePairs
        columns={4}
        items={[
          { label: "Phase", value: <PhaseText word={cluster.phase} /> },
          { label: "Region", value: cluster.region },
          { label: "Account", value: cluster.account },
          { label: "EKS cluster", value: cluster.eksClusterName },
          { label: "Origin", value: cluster.origin === "imported" ? "Imported" : "Created here" },
          { label: "Asked for", value: <Time at={cluster.createdAt} /> },
          { label: "Asked for by", value: cluster.createdBy },
          {
            label: "Held by",
            value: cluster.currentOperation ? (
              <AppLink to={`/operations/${cluster.currentOperation}`}>Operation {cluster.currentOperation}</AppLink>
            ) : (
              "No operation"
            ),
          },
        ]}
      />
    </Container>
  );
}

/** What failed and can be tried again, with the operation that it was. */
const failedStage = ({ currentOperation, stages }: ClusterView): StageView | undefined =>
  currentOperation ? undefined : stages.find(({ state }) => state === "failed");

function Failed({ cluster, stage, refresh }: { cluster: ClusterView; stage: StageView; refresh: () => void }) {
  const [retrying, setRetrying] = useState(false);
  const { operationId } = stage;
  return (
    <>
      <Alert
        type="error"
        header={`${STAGE_TITLES[stage.stage]} failed: what to do next`}
        action={operationId && <Button onClick={() => setRetrying(true)}>Retry</Button>}
      >
        <SpaceBetween size="xxs">
          <div>{capitalised(stage.failure?.message ?? stage.summary)}</div>
          <div>{advice(stage.failure?.action) || "Mend the cause, then retry."}</div>
          {operationId && <AppLink to={`/operations/${operationId}`}>Show the operation that failed</AppLink>}
        </SpaceBetween>
      </Alert>
      {retrying && operationId && (
        <CommandDialog
          command="retry"
          operationId={operationId}
          what={`The operation of ${cluster.tag} that failed in ${STAGE_TITLES[stage.stage]}`}
          close={() => setRetrying(false)}
          accepted={() => {
            setRetrying(false);
            refresh();
          }}
        />
      )}
    </>
  );
}

function NextStep({ cluster, refresh }: { cluster: ClusterView; refresh: () => void }) {
  const navigate = useNavigate();
  const failed = failedStage(cluster);
  if (failed) return <Failed cluster={cluster} stage={failed} refresh={refresh} />;
  const next = advice(cluster.next);
  if (!next) return null;
  const action = isWaitingForDecision(cluster) && (
    <Button onClick={() => void navigate(`/clusters/${cluster.tag}/capacity`)}>Decide capacity</Button>
  );
  return (
    <Alert type="info" header="What to do next" action={action}>
      {next}
    </Alert>
  );
}

function ClusterTabs({ cluster, refresh }: { cluster: ClusterView; refresh: () => void }) {
  const [search, setSearch] = useSearchParams();
  const stages = (
    <Container header={<Header variant="h2">Stages</Header>}>
      <StageSteps cluster={cluster} started={refresh} />
    </Container>
  );
  return (
    <Tabs
      ariaLabel={`Details of ${cluster.tag}`}
      activeTabId={search.get("tab") ?? "stages"}
      onChange={({ detail }) => setSearch(detail.activeTabId === "stages" ? {} : { tab: detail.activeTabId })}
      tabs={[
        { id: "stages", label: "Stages", content: stages },
        { id: "nodes", label: "Nodes", content: <NodesTab cluster={cluster} moving={isMoving(cluster)} /> },
        { id: "subnets", label: "Subnets", content: <SubnetsTab tag={cluster.tag} /> },
        { id: "operations", label: "Operations", content: <OperationsTable clusterTag={cluster.tag} /> },
        { id: "conditions", label: "Conditions", content: <ConditionsTable conditions={cluster.conditions} /> },
        { id: "decisions", label: "Decisions", content: <DecisionsTab cluster={cluster} /> },
      ]}
    />
  );
}

export default function Cluster() {
  const { tag = "" } = useParams();
  const [search] = useSearchParams();
  const tab = search.get("tab");
  usePageTitle(tab ? `${tag}: ${tab}` : tag);
  const live = useCluster(tag);
  const [stopping, setStopping] = useState(false);
  const navigate = useNavigate();
  const cluster = live.data;
  const actions = cluster && (
    <SpaceBetween direction="horizontal" size="xs">
      <Button iconName="refresh" ariaLabel="Refresh the cluster" onClick={live.refresh} />
      <Button
        disabled={!hasCapacity(cluster)}
        disabledReason="There is no HyperPod capacity to stop."
        onClick={() => setStopping(true)}
      >
        Stop spending
      </Button>
    </SpaceBetween>
  );
  return (
    <ContentLayout
      header={
        <Header variant="h1" actions={actions}>
          {tag}
        </Header>
      }
    >
      <Resource live={live} what="the cluster">
        {(shown) => (
          <SpaceBetween size="l">
            <NextStep cluster={shown} refresh={live.refresh} />
            <Overview cluster={shown} />
            <ClusterTabs cluster={shown} refresh={live.refresh} />
            {stopping && (
              <StopSpendingDialog
                tag={shown.tag}
                close={() => setStopping(false)}
                accepted={(id) => void navigate(`/operations/${id}`)}
              />
            )}
          </SpaceBetween>
        )}
      </Resource>
    </ContentLayout>
  );
}
