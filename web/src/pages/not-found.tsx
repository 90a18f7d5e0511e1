// An address that is no page.
import Box from "@cloudscape-design/components/box";
import ContentLayout from "@cloudscape-design/components/content-layout";
import Header from "@cloudscape-design/components/header";
import { AppLink } from "../components/app-link";
import { usePageTitle } from "../page-title";

export default function NotFound() {
  usePageTitle("Page not found");
  return (
    <ContentLayout header={<Header variant="h1">Page not found</Header>}>
      <Box>
        There is no page at this address. <AppLink to="/clusters">Go to the clusters</AppLink>
      </Box>
    </ContentLayout>
  );
}
