// What this account can have in a Region: instance types with quota and zones, and training plans.
import ContentLayout from "@cloudscape-design/components/content-layout";
import FormField from "@cloudscape-design/components/form-field";
import Header from "@cloudscape-design/components/header";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Tabs from "@cloudscape-design/components/tabs";
import { useEffect } from "react";
import { useSearchParams } from "react-router";
import { useRegions } from "../api/resources";
import { InstanceTypesTable } from "../components/capacity/instance-types-table";
import { TrainingPlansTable } from "../components/capacity/training-plans-table";
import { RegionChoice } from "../components/region-choice";
import { Empty } from "../components/resource";
import { usePageTitle } from "../page-title";

export default function Capacity() {
  const [search, setSearch] = useSearchParams();
  const regions = useRegions().data?.items.filter(({ enabled }) => enabled);
  const region = search.get("region") ?? "";
  const tab = search.get("tab") ?? "types";
  usePageTitle(tab === "plans" ? "Training plans" : "Instance types");
  const show = (part: { region?: string; tab?: string }, replace = false) =>
    setSearch({ region, tab, ...part }, { replace });

  // With one Region there is nothing to choose.
  useEffect(() => {
    const only = regions?.length === 1 ? regions[0]?.region : undefined;
    if (!region && only) setSearch({ region: only, tab }, { replace: true });
  }, [regions, region, tab, setSearch]);

  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description="A quota is a permission to have instances; whether AWS has them is another matter."
        >
          Capacity
        </Header>
      }
    >
      <SpaceBetween size="l">
        <FormField label="Region">
          <RegionChoice region={region} choose={(chosen) => show({ region: chosen })} />
        </FormField>
        {region ? (
          <Tabs
            ariaLabel={`Capacity in ${region}`}
            activeTabId={tab}
            onChange={({ detail }) => show({ tab: detail.activeTabId })}
            tabs={[
              { id: "types", label: "Instance types", content: <InstanceTypesTable region={region} /> },
              { id: "plans", label: "Training plans", content: <TrainingPlansTable region={region} /> },
            ]}
          />
        ) : (
          <Empty title="Choose a Region" />
        )}
      </SpaceBetween>
    </ContentLayout>
  );
}
