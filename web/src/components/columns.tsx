// Which columns of a table are shown: the user's choice, kept in this browser.
import CollectionPreferences, {
  type CollectionPreferencesProps,
} from "@cloudscape-design/components/collection-preferences";
import type { TableProps } from "@cloudscape-design/components/table";
import { type ReactNode, useState } from "react";

const PREFIX = "hyperpod-instantstart.hidden.";

function readHidden(table: string): string[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(PREFIX + table) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function keepHidden(table: string, hidden: readonly string[]): void {
  try {
    window.localStorage.setItem(PREFIX + table, JSON.stringify(hidden));
  } catch {
    // Storage can be full or forbidden; the choice then holds for this page alone.
  }
}

interface Columns {
  columnDisplay: TableProps.ColumnDisplay[];
  preferences: ReactNode;
}

/** Properties of a Table by name. Hidden columns are kept, not shown ones, so that a new column is seen. */
export function useColumns<T>(table: string, columns: readonly TableProps.ColumnDefinition<T>[]): Columns {
  const [hidden, setHidden] = useState(() => readHidden(table));
  const isShown = ({ id = "", isRowHeader }: TableProps.ColumnDefinition<T>) => isRowHeader || !hidden.includes(id);
  const columnDisplay = columns.map((column) => ({ id: column.id ?? "", visible: isShown(column) }));
  const confirm = ({ contentDisplay = [] }: CollectionPreferencesProps.Preferences) => {
    const chosen = contentDisplay.flatMap((item) => ("visible" in item && !item.visible ? [item.id] : []));
    keepHidden(table, chosen);
    setHidden(chosen);
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
