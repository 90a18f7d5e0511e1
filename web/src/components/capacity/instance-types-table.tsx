// Instance types with accelerators, quota and use, zones and price; filtered and paged here, since the list is short.
import Button from "@cloudscape-design/components/button";
import Header from "@cloudscape-design/components/header";
import Pagination from "@cloudscape-design/components/pagination";
import SegmentedControl from "@cloudscape-design/components/segmented-control";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import TextFilter from "@cloudscape-design/components/text-filter";
import { Fragment, useState } from "react";
import { useInstanceTypes } from "../../api/resources";
import type { InstanceType } from "../../api/schema";
import { useColumns } from "../columns";
import { FittingTable } from "../fitting-table";
import { ReadFailed } from "../read-failed";
import { Empty } from "../resource";
import { State } from "../state";
import { count, dollars } from "../words";

function Quota({ quota }: InstanceType) {
  if (quota.limit === undefined) return <State text={quota.note ?? "Unknown"} tone="warning" />;
  const text = `${quota.used ?? "?"} of ${quota.limit} used, ${quota.free ?? "?"} free`;
  return (
    <>
      <State text={text} tone={quota.free === 0 ? "stopped" : "success"} />
      {quota.source === "default" && <div>AWS's default; it was never raised</div>}
    </>
  );
}

function Zones({ zoneIds }: { zoneIds: readonly string[] }) {
  if (zoneIds.length === 0) return <>None</>;
  return zoneIds.map((zoneId, index) => (
    <Fragment key={zoneId}>
      {index > 0 && ", "}
      <span className="whole">{zoneId}</span>
    </Fragment>
  ));
}

const COLUMNS: TableProps.ColumnDefinition<InstanceType>[] = [
  {
    id: "type",
    header: "Instance type",
    isRowHeader: true,
    minWidth: 155,
    sortingField: "instanceType",
    cell: (type) => type.instanceType,
  },
  {
    id: "accelerators",
    header: "Accelerators",
    minWidth: 150,
    sortingField: "acceleratorCount",
    cell: (type) => type.accelerators ?? "None",
  },
  { id: "quota", header: "Quota for HyperPod", minWidth: 175, cell: (type) => <Quota {...type} /> },
  { id: "zones", header: "Zones", minWidth: 165, cell: (type) => <Zones zoneIds={type.zoneIds} /> },
  {
    id: "price",
    header: "US dollars an hour",
    minWidth: 120,
    sortingField: "hourlyUsd",
    cell: (type) => (type.hourlyUsd === undefined ? "Unknown" : dollars(type.hourlyUsd)),
  },
  { id: "vcpus", header: "vCPU", minWidth: 90, sortingField: "vcpus", cell: (type) => type.vcpus },
  {
    id: "memory",
    header: "Memory, GiB",
    minWidth: 115,
    sortingField: "memoryGib",
    cell: (type) => type.memoryGib.toLocaleString("en"),
  },
  { id: "efa", header: "EFA", minWidth: 85, sortingField: "efaInterfaces", cell: (type) => type.efaInterfaces },
  {
    id: "addresses",
    header: "Addresses a node",
    sortingField: "addressesPerNode",
    cell: (type) => type.addressesPerNode,
  },
  { id: "plans", header: "Training plans", cell: (type) => (type.trainingPlans ? "Sold" : "Not sold") },
];

// Shown when asked for; the form of an instance group says all of it.
const HIDDEN = ["vcpus", "efa", "addresses", "plans"];

const PAGE_SIZE = 20;
type Kind = "all" | "accelerated" | "cpu";

function useShown(types: readonly InstanceType[]) {
  const [text, setText] = useState("");
  const [kind, setKind] = useState<Kind>("all");
  const [page, setPage] = useState(1);
  const [sorting, setSorting] = useState<TableProps.SortingState<InstanceType>>({
    sortingColumn: { sortingField: "instanceType" },
  });
  const field = sorting.sortingColumn.sortingField as keyof InstanceType;
  const direction = sorting.isDescending ? -1 : 1;
  const matches = types
    .filter((type) => kind === "all" || type.acceleratorCount > 0 === (kind === "accelerated"))
    .filter((type) =>
      `${type.instanceType} ${type.accelerators ?? ""} ${type.zoneIds.join(" ")}`
        .toLowerCase()
        .includes(text.toLowerCase()),
    )
    .sort((a, b) => {
      const [left, right] = [a[field] ?? -1, b[field] ?? -1];
      return (
        direction *
        (typeof left === "number" && typeof right === "number"
          ? left - right
          : String(left).localeCompare(String(right)))
      );
    });
  const pages = Math.max(1, Math.ceil(matches.length / PAGE_SIZE));
  const current = Math.min(page, pages);
  const filter = (set: () => void) => {
    set();
    setPage(1);
  };
  return {
    text,
    kind,
    sorting,
    pages,
    current,
    matches,
    setSorting,
    setPage,
    items: matches.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE),
    search: (wanted: string) => filter(() => setText(wanted)),
    choose: (wanted: Kind) => filter(() => setKind(wanted)),
  };
}

export function InstanceTypesTable({ region }: { region: string }) {
  const live = useInstanceTypes(region);
  const { data, loading, refresh } = live;
  const columns = useColumns("instance-types", COLUMNS, HIDDEN);
  const shown = useShown(data ?? []);
  return (
    <SpaceBetween size="s">
      <ReadFailed live={live} />
      <FittingTable
        items={shown.items}
        trackBy="instanceType"
        columnDefinitions={COLUMNS}
        {...columns}
        sortingColumn={shown.sorting.sortingColumn}
        sortingDescending={shown.sorting.isDescending}
        onSortingChange={({ detail }) => shown.setSorting(detail)}
        loading={loading}
        loadingText="Loading instance types"
        enableKeyboardNavigation
        ariaLabels={{ tableLabel: "Instance types" }}
        header={
          <Header
            variant="h2"
            counter={data ? `(${data.length})` : ""}
            actions={<Button iconName="refresh" ariaLabel="Refresh the instance types" onClick={refresh} />}
          >
            Instance types
          </Header>
        }
        filter={
          <SpaceBetween direction="horizontal" size="s" alignItems="center">
            <TextFilter
              filteringText={shown.text}
              filteringPlaceholder="Find by type, accelerator or zone"
              filteringAriaLabel="Find instance types"
              countText={count(shown.matches.length, "match", "matches")}
              onChange={({ detail }) => shown.search(detail.filteringText)}
            />
            <SegmentedControl
              label="Kind of instance types"
              selectedId={shown.kind}
              onChange={({ detail }) => shown.choose(detail.selectedId as Kind)}
              options={[
                { id: "all", text: "All" },
                { id: "accelerated", text: "With accelerators" },
                { id: "cpu", text: "CPU only" },
              ]}
            />
          </SpaceBetween>
        }
        pagination={
          <Pagination
            currentPageIndex={shown.current}
            pagesCount={shown.pages}
            onChange={({ detail }) => shown.setPage(detail.currentPageIndex)}
            ariaLabels={{ paginationLabel: "Pages of instance types", pageLabel: (page) => `Page ${page}` }}
          />
        }
        empty={<Empty title={data?.length ? "No instance type matches" : "No instance types here"} />}
      />
    </SpaceBetween>
  );
}
