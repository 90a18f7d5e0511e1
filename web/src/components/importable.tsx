// EKS clusters of a Region that are not managed here, with what each lacks, and the way to import one.
import Box from "@cloudscape-design/components/box";
import Button from "@cloudscape-design/components/button";
import ExpandableSection from "@cloudscape-design/components/expandable-section";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { useImportable, useRegions } from "../api/resources";
import type { ImportableCluster } from "../api/schema";
import { FittingTable } from "./fitting-table";
import { Findings } from "./findings";
import { ImportDialog } from "./import-dialog";
import { ReadFailed } from "./read-failed";
import { RegionChoice } from "./region-choice";
import { Empty } from "./resource";
import { State } from "./state";
import { count } from "./words";

function Lacks({ cluster }: { cluster: ImportableCluster }) {
  if (cluster.findings.length === 0) return <State text="Nothing found" tone="success" />;
  const blocking = cluster.findings.filter(({ severity }) => severity === "blocking").length;
  const rest = cluster.findings.length - blocking;
  const text = [blocking && `${blocking} blocking`, rest && count(rest, "remark")].filter(Boolean).join(", ");
  return (
    <ExpandableSection headerText={text} headerAriaLabel={`What ${cluster.eksClusterName} lacks: ${text}`}>
      <Findings findings={cluster.findings} />
    </ExpandableSection>
  );
}

const hyperpod = (cluster: ImportableCluster) =>
  cluster.hyperpodClusterName
    ? `${cluster.hyperpodClusterName} (${cluster.hyperpodStatus ?? "status unknown"}), ${count(cluster.nodes, "node")}`
    : "None attached";

const columns = (open: (cluster: ImportableCluster) => void): TableProps.ColumnDefinition<ImportableCluster>[] => [
  { id: "name", header: "EKS cluster", isRowHeader: true, minWidth: 120, cell: (cluster) => cluster.eksClusterName },
  {
    id: "status",
    header: "Status",
    minWidth: 130,
    cell: (cluster) => (
      <>
        <div>{cluster.status}</div>
        Kubernetes {cluster.version}
      </>
    ),
  },
  { id: "vpc", header: "VPC", minWidth: 185, cell: (cluster) => cluster.vpcId ?? "–" },
  { id: "hyperpod", header: "HyperPod cluster", minWidth: 175, cell: hyperpod },
  { id: "lacks", header: "What it lacks", minWidth: 180, cell: (cluster) => <Lacks cluster={cluster} /> },
  {
    id: "import",
    header: "Action",
    minWidth: 110,
    cell: (cluster) => (
      <Button wrapText={false} ariaLabel={`Import ${cluster.eksClusterName}`} onClick={() => open(cluster)}>
        Import
      </Button>
    ),
  },
];

interface Props {
  /** Called with the operation of an import that was accepted. */
  imported: (operationId: string) => void;
}

export function Importable({ imported }: Props) {
  const [search, setSearch] = useSearchParams();
  const region = search.get("region") ?? "";
  const regions = useRegions().data?.items;
  const [opened, setOpened] = useState<ImportableCluster>();
  const live = useImportable(region);
  const { data, loading, refresh } = live;
  const only = regions?.filter(({ enabled }) => enabled);
  const choose = (chosen: string) => setSearch(chosen ? { region: chosen } : {}, { replace: true });

  // With one Region there is nothing to choose.
  useEffect(() => {
    const first = only?.length === 1 ? only[0]?.region : undefined;
    if (!region && first) setSearch({ region: first }, { replace: true });
  }, [only, region, setSearch]);

  return (
    <div id="importable">
      <SpaceBetween size="s">
        <ReadFailed live={live} />
        <FittingTable
          items={data?.items ?? []}
          trackBy="arn"
          foldFirst={["vpc"]}
          neverFold={["import"]}
          columnDefinitions={columns(setOpened)}
          loading={loading}
          loadingText="Looking for EKS clusters"
          enableKeyboardNavigation
          ariaLabels={{ tableLabel: "Clusters that can be imported" }}
          header={
            <Header
              counter={data ? `(${data.items.length})` : ""}
              description="EKS clusters of this account that are not managed here. Nothing of theirs is changed unless you ask for a fix by name."
              actions={
                <Button iconName="refresh" ariaLabel="Look again for clusters" disabled={!region} onClick={refresh} />
              }
            >
              Can be imported
            </Header>
          }
          filter={
            <FormField label="Region">
              <RegionChoice region={region} choose={choose} />
            </FormField>
          }
          empty={
            <Empty title={region ? "Nothing to import" : "Choose a Region"}>
              <Box color="inherit">
                {region
                  ? `All EKS clusters of ${region} are managed here, or there are none.`
                  : "EKS is asked by Region."}
              </Box>
            </Empty>
          }
        />
      </SpaceBetween>
      {opened && (
        <ImportDialog cluster={opened} region={region} close={() => setOpened(undefined)} imported={imported} />
      )}
    </div>
  );
}
