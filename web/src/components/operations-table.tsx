// Operations, newest first: of all clusters or of one.
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useOperations } from "../api/resources";
import type { OperationView } from "../api/schema";
import { Announce } from "./announce";
import { AppLink } from "./app-link";
import { useColumns } from "./columns";
import { FittingTable } from "./fitting-table";
import { usePaging } from "./paging";
import { ReadFailed } from "./read-failed";
import { Empty } from "./resource";
import { OperationStateText } from "./state";
import { Time } from "./time";
import { Unreadable } from "./unreadable";
import { kind, OPERATION_STATES, STAGE_TITLES } from "./words";

const COLUMNS: TableProps.ColumnDefinition<OperationView>[] = [
  {
    id: "operation",
    header: "Operation",
    minWidth: 150,
    isRowHeader: true,
    cell: (operation) => (
      <AppLink
        to={`/operations/${operation.operationId}`}
        ariaLabel={`${kind(operation.kind)} of ${operation.clusterTag}, ${operation.operationId}`}
      >
        {kind(operation.kind)}
      </AppLink>
    ),
  },
  {
    id: "cluster",
    header: "Cluster",
    minWidth: 130,
    cell: ({ clusterTag }) => <AppLink to={`/clusters/${clusterTag}`}>{clusterTag}</AppLink>,
  },
  { id: "state", header: "State", minWidth: 130, cell: ({ state }) => <OperationStateText state={state} /> },
  { id: "stage", header: "Stage", minWidth: 130, cell: ({ stage }) => (stage ? STAGE_TITLES[stage] : "–") },
  { id: "summary", header: "Summary", minWidth: 220, cell: ({ summary }) => summary },
  { id: "attempt", header: "Attempt", minWidth: 90, cell: ({ attempt }) => attempt },
  { id: "principal", header: "Asked for by", minWidth: 125, cell: ({ principal }) => principal },
  { id: "created", header: "Asked for", minWidth: 105, cell: ({ createdAt }) => <Time at={createdAt} form="short" /> },
];

// Shown when asked for: the summary says the stage.
const HIDDEN = ["stage", "attempt"];

const spoken = (operations: readonly OperationView[]) =>
  operations
    .slice(0, 5)
    .map((operation) => `${kind(operation.kind)} of ${operation.clusterTag}: ${OPERATION_STATES[operation.state].text}`)
    .join(". ");

export function OperationsTable({ clusterTag }: { clusterTag?: string }) {
  const paging = usePaging();
  const live = useOperations(clusterTag, paging.cursor);
  const { data, error, loading, refresh } = live;
  const items = data?.items ?? [];
  const columns = clusterTag ? COLUMNS.filter(({ id }) => id !== "cluster") : COLUMNS;
  const shown = useColumns("operations", columns, HIDDEN);
  return (
    <SpaceBetween size="s">
      <ReadFailed live={live} />
      <Unreadable records={data?.unreadable} />
      <Announce text={spoken(items)} />
      <FittingTable
        items={items}
        trackBy="operationId"
        columnDefinitions={columns}
        {...shown}
        loading={loading}
        loadingText="Loading operations"
        enableKeyboardNavigation
        ariaLabels={{ tableLabel: "Operations" }}
        header={
          <Header
            variant="h2"
            actions={<Button iconName="refresh" ariaLabel="Refresh the operations" onClick={refresh} />}
          >
            Operations
          </Header>
        }
        pagination={<Pagination {...paging.props(data?.nextCursor, "operations")} />}
        empty={
          <Empty title={error ? "The operations could not be read" : "No operations yet"}>
            {!error && "Every change that is asked for is kept here, with who asked and what came of it."}
          </Empty>
        }
      />
    </SpaceBetween>
  );
}
