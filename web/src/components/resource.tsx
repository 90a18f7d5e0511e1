// Loading, failed, there: one way to show what is read live. An answer stays on the page while later reads fail.
import Box from "@cloudscape-design/components/box";
import SpaceBetween from "@cloudscape-design/components/space-between";
import Spinner from "@cloudscape-design/components/spinner";
import type { ReactNode } from "react";
import type { Live } from "../api/live";
import { ReadFailed } from "./read-failed";

interface Props<T> {
  live: Live<T>;
  /** What is being loaded, for people. */
  what: string;
  children: (data: T) => ReactNode;
}

export function Resource<T>({ live, what, children }: Props<T>) {
  const { data, loading } = live;
  return (
    <SpaceBetween size="l">
      <ReadFailed live={live} />
      {loading && (
        <Box textAlign="center" padding="xxl" color="text-body-secondary">
          <Spinner /> Loading {what}
        </Box>
      )}
      {data !== undefined && children(data)}
    </SpaceBetween>
  );
}

/** What a table shows when it has no rows. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box textAlign="center" padding={{ vertical: "m" }} color="inherit">
      <SpaceBetween size="xs" alignItems="center">
        <Box variant="strong" color="inherit">
          {title}
        </Box>
        {children}
      </SpaceBetween>
    </Box>
  );
}
