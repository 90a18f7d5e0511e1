// All operations.
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import { OperationsTable } from "../components/operations-table";
import { usePageTitle } from "../page-title";

export default function Operations() {
  usePageTitle("Operations");
  return (
    <ContentLayout
      header={
        <Header variant="h1" description="Every requested change of every cluster; what ended stays.">
          Operations
        </Header>
      }
    >
      <OperationsTable />
    </ContentLayout>
  );
}
