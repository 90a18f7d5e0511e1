// All clusters that are managed here, and what could be imported.
import Button from "@cloudscape-design/components/button";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useNavigate } from "react-router";
import { useClusters } from "../api/resources";
import type { ClusterSummary } from "../api/schema";
import { Announce } from "../components/announce";
import { AppLink, useFollow } from "../components/app-link";
import { useColumns } from "../components/columns";
import { Importable } from "../components/importable";
import { FittingTable } from "../components/fitting-table";
import { usePaging } from "../components/paging";
import { ReadFailed } from "../components/read-failed";
import { Empty } from "../components/resource";
import { PhaseText } from "../components/state";
import { Time } from "../components/time";
import { Unreadable } from "../components/unreadable";
import { count, phase, STAGE_STATES, STAGE_TITLES, WAITS } from "../components/words";
import { usePageTitle } from "../page-title";

const PAGE_SIZE = 20;

function Where({ cluster }: { cluster: ClusterSummary }) {
  if (!cluster.stage) return <>All stages done</>;
  const state = cluster.stageState ? STAGE_STATES[cluster.stageState].text.toLowerCase() : "";
  return (
    <>
      <div>
        {STAGE_TITLES[cluster.stage]} {state && `(${state})`}
      </div>
      {cluster.waiting && (
        <div title={cluster.waiting.reason}>
          {WAITS[cluster.waiting.on]}: {cluster.waiting.reason}
        </div>
      )}
    </>
  );
}

/** What was decided here; an imported cluster's groups were decided elsewhere, and its page shows its nodes. */
function Decided({ cluster }: { cluster: ClusterSummary }) {
  if (cluster.instanceGroups === 0) return <>{cluster.origin === "imported" ? "As imported" : "Not decided"}</>;
  return (
    <>
      <div>
        {count(cluster.nodesWanted, "node")} in {count(cluster.instanceGroups, "group")}
      </div>
      {count(cluster.acceleratorsWanted, "accelerator")}
    </>
  );
}

const COLUMNS: TableProps.ColumnDefinition<ClusterSummary>[] = [
  {
    id: "tag",
    header: "Cluster",
    minWidth: 140,
    isRowHeader: true,
    cell: (cluster) => <AppLink to={`/clusters/${cluster.tag}`}>{cluster.tag}</AppLink>,
  },
  { id: "phase", header: "Phase", minWidth: 206, cell: (cluster) => <PhaseText word={cluster.phase} /> },
  { id: "stage", header: "Stage and what it waits for", minWidth: 190, cell: (cluster) => <Where cluster={cluster} /> },
  { id: "region", header: "Region", minWidth: 110, cell: (cluster) => cluster.region },
  {
    id: "origin",
    header: "Origin",
    minWidth: 95,
    cell: (cluster) => (cluster.origin === "imported" ? "Imported" : "Created"),
  },
  { id: "capacity", header: "Capacity wanted", minWidth: 150, cell: (cluster) => <Decided cluster={cluster} /> },
  { id: "age", header: "Asked for", minWidth: 100, cell: (cluster) => <Time at={cluster.createdAt} form="short" /> },
];

// Shown when asked for; who imported a cluster knows it.
const HIDDEN = ["origin"];

const spoken = (clusters: readonly ClusterSummary[]) =>
  clusters.map((cluster) => `${cluster.tag}: ${phase(cluster.phase).text}`).join(". ");

export default function Clusters() {
  usePageTitle("Clusters");
  const paging = usePaging();
  const live = useClusters(paging.cursor, PAGE_SIZE);
  const { data, error, loading, refresh } = live;
  const columns = useColumns("clusters", COLUMNS, HIDDEN);
  const navigate = useNavigate();
  const follow = useFollow();
  const items = data?.items ?? [];
  const create = (
    <Button variant="primary" href="/clusters/create" onFollow={follow as never}>
      Create cluster
    </Button>
  );
  const showImportable = () => document.getElementById("importable")?.scrollIntoView({ block: "start" });

  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description="EKS clusters with SageMaker HyperPod, each made and kept in six stages that can be run again alone."
        >
          Clusters
        </Header>
      }
    >
      <SpaceBetween size="l">
        <ReadFailed live={live} />
        <Unreadable records={data?.unreadable} />
        <Announce text={spoken(items)} />
        <FittingTable
          items={items}
          trackBy="clusterId"
          columnDefinitions={COLUMNS}
          {...columns}
          loading={loading}
          loadingText="Loading clusters"
          stickyHeader
          enableKeyboardNavigation
          header={
            <Header
              counter={data && !data.nextCursor && !paging.cursor ? `(${items.length})` : ""}
              actions={
                <SpaceBetween direction="horizontal" size="xs">
                  <Button iconName="refresh" ariaLabel="Refresh the clusters" onClick={refresh} />
                  {create}
                </SpaceBetween>
              }
            >
              Managed clusters
            </Header>
          }
          pagination={<Pagination {...paging.props(data?.nextCursor, "clusters")} />}
          ariaLabels={{ tableLabel: "Managed clusters" }}
          empty={
            <Empty title={error ? "The clusters could not be read" : "No clusters yet"}>
              {!error && (
                <>
                  <div>Create one from nothing, or import an EKS cluster that this account has already.</div>
                  <SpaceBetween direction="horizontal" size="xs" alignItems="center">
                    <Button href="/clusters/create" onFollow={follow as never}>
                      Create a cluster
                    </Button>
                    <Button onClick={showImportable}>Show what can be imported</Button>
                  </SpaceBetween>
                </>
              )}
            </Empty>
          }
        />
        <Importable
          imported={(operationId) => {
            refresh();
            void navigate(`/operations/${operationId}`);
          }}
        />
      </SpaceBetween>
    </ContentLayout>
  );
}
