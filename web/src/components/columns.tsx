// Which columns of a table are shown, and in which order: the user's choice, kept in this browser.
import CollectionPreferences, {
  type CollectionPreferencesProps,
} from "@cloudscape-design/components/collection-preferences";
import type { TableProps } from "@cloudscape-design/components/table";
import { type ReactNode, useState } from "react";

const PREFIX = "hyperpod-instantstart.columns.";

interface Shown {
  id: string;
  visible: boolean;
}

const isShown = (item: unknown): item is Shown =>
  typeof item === "object" && item !== null && "id" in item && "visible" in item && typeof item.id === "string";

function readKept(table: string): Shown[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(PREFIX + table) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isShown) : [];
  } catch {
    return [];
  }
}

function keep(table: string, display: readonly Shown[]): void {
  try {
    window.localStorage.setItem(PREFIX + table, JSON.stringify(display));
  } catch {
    // Storage can be full or forbidden; the choice then holds for this page alone.
  }
}

/** What was kept of the columns that there are, then those that came since; the one that names the row is always shown. */
function merged<T>(
  kept: readonly Shown[],
  columns: readonly TableProps.ColumnDefinition<T>[],
  hidden: readonly string[],
): Shown[] {
  const always = new Set(columns.filter(({ isRowHeader }) => isRowHeader).map(({ id }) => id));
  const ids = columns.map(({ id = "" }) => id);
  const known = kept.filter(({ id }) => ids.includes(id));
  const since = ids
    .filter((id) => !known.some((held) => held.id === id))
    .map((id) => ({ id, visible: !hidden.includes(id) }));
  return [...known, ...since].map(({ id, visible }) => ({ id, visible: visible || always.has(id) }));
}

interface Columns {
  columnDisplay: TableProps.ColumnDisplay[];
  preferences: ReactNode;
}

/** Properties of a Table; columns that are `hidden` are not shown unless they were chosen. */
export function useColumns<T>(
  table: string,
  columns: readonly TableProps.ColumnDefinition<T>[],
  hidden: readonly string[] = [],
): Columns {
  const [kept, setKept] = useState(() => readKept(table));
  const columnDisplay = merged(kept, columns, hidden);
  const confirm = ({ contentDisplay = [] }: CollectionPreferencesProps.Preferences) => {
    const chosen = contentDisplay.filter(isShown).map(({ id, visible }) => ({ id, visible }));
    keep(table, chosen);
    setKept(chosen);
  };
  const preferences = (
    <CollectionPreferences
      title="Columns"
      confirmLabel="Confirm"
      cancelLabel="Cancel"
      preferences={{ contentDisplay: columnDisplay }}
      contentDisplayPreference={{
        title: "Columns shown",
        options: columns.map(({ id = "", header, isRowHeader }) => ({
          id,
          label: typeof header === "string" ? header : id,
          alwaysVisible: isRowHeader,
        })),
      }}
      onConfirm={({ detail }) => confirm(detail)}
    />
  );
  return { columnDisplay, preferences };
}
