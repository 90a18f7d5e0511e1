// Whether the control plane itself works.
import Button from "@cloudscape-design/components/button";
import Container from "@cloudscape-design/components/container";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import KeyValuePairs from "@cloudscape-design/components/key-value-pairs";
import SpaceBetween from "@cloudscape-design/components/space-between";
import type { TableProps } from "@cloudscape-design/components/table";
import { useHealth } from "../api/resources";
import type { HealthView } from "../api/schema";
import { Announce } from "../components/announce";
import { FittingTable } from "../components/fitting-table";
import { Empty, Resource } from "../components/resource";
import { State } from "../components/state";
import { utc } from "../components/time";
import { words } from "../components/value-tree";
import { usePageTitle } from "../page-title";

type Check = HealthView["checks"][number];

const COLUMNS: TableProps.ColumnDefinition<Check>[] = [
  { id: "name", header: "Check", isRowHeader: true, minWidth: 140, cell: (check) => words(check.name) },
  {
    id: "ok",
    header: "Result",
    minWidth: 150,
    cell: (check) => <State text={check.ok ? "Works" : "Does not work"} tone={check.ok ? "success" : "error"} />,
  },
  { id: "detail", header: "Detail", minWidth: 240, cell: (check) => check.detail },
];

function Shown({ health }: { health: HealthView }) {
  const isOk = health.status === "ok";
  const status = <State text={isOk ? "Works" : "Degraded"} tone={isOk ? "success" : "error"} />;
  return (
    <SpaceBetween size="l">
      <Announce text={`The control plane ${isOk ? "works" : "is degraded"}`} />
      <Container>
        <KeyValuePairs
          columns={3}
          items={[
            { label: "Status", value: status },
            { label: "Release", value: health.version },
            { label: "Its time", value: utc(health.time) },
          ]}
        />
      </Container>
      <FittingTable
        items={health.checks}
        trackBy="name"
        columnDefinitions={COLUMNS}
        ariaLabels={{ tableLabel: "Checks" }}
        header={<Header variant="h2">Checks</Header>}
        empty={<Empty title="Nothing was checked" />}
      />
    </SpaceBetween>
  );
}

export default function Health() {
  usePageTitle("Health");
  const live = useHealth();
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description="The control plane's own table, state machines and clock. The health of a cluster is on its page."
          actions={<Button iconName="refresh" ariaLabel="Refresh the health" onClick={live.refresh} />}
        >
          Health
        </Header>
      }
    >
      <Resource live={live} what="the health">
        {(health) => <Shown health={health} />}
      </Resource>
    </ContentLayout>
  );
}
