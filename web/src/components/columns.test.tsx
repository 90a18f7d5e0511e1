// The choice of columns is remembered, and never hides the one that names the row.
import { renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { useColumns } from "./columns";

const COLUMNS = [
  { id: "name", header: "Name", isRowHeader: true, cell: () => "" },
  { id: "zone", header: "Zone", cell: () => "" },
  { id: "new", header: "New", cell: () => "" },
];

const shown = (hidden: readonly string[] = []) => {
  const { result } = renderHook(() => useColumns("things", COLUMNS, hidden));
  return result.current.columnDisplay.filter(({ visible }) => visible).map(({ id }) => id);
};

const KEY = "hyperpod-instantstart.columns.things";

describe("columns", () => {
  it("are all shown until some are hidden or moved; new ones follow", () => {
    expect(shown()).toEqual(["name", "zone", "new"]);
    const kept = ["zone", "name", "gone"].map((id) => ({ id, visible: id !== "name" }));
    window.localStorage.setItem(KEY, JSON.stringify(kept));
    expect(shown()).toEqual(["zone", "name", "new"]);
    window.localStorage.setItem(KEY, JSON.stringify([{ id: "zone", visible: false }]));
    expect(shown()).toEqual(["name", "new"]);
  });

  it("that are hidden are shown once they were chosen", () => {
    window.localStorage.clear();
    expect(shown(["zone"])).toEqual(["name", "new"]);
    window.localStorage.setItem(KEY, JSON.stringify([{ id: "zone", visible: true }]));
    expect(shown(["zone"])).toEqual(["zone", "name", "new"]);
  });

  it("are all shown when what was kept does not read", () => {
    window.localStorage.setItem(KEY, "{");
    expect(shown()).toEqual(["name", "zone", "new"]);
  });
});
