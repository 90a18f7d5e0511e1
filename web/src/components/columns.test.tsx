// Hidden columns are remembered, and never the one that names the row.
import { renderHook } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { useColumns } from "./columns";

const COLUMNS = [
  { id: "name", header: "Name", isRowHeader: true, cell: () => "" },
  { id: "zone", header: "Zone", cell: () => "" },
  { id: "new", header: "New", cell: () => "" },
];

const shown = () => {
  const { result } = renderHook(() => useColumns("things", COLUMNS));
  return result.current.columnDisplay.filter(({ visible }) => visible).map(({ id }) => id);
};

describe("columns", () => {
  it("are all shown until some are hidden", () => {
    expect(shown()).toEqual(["name", "zone", "new"]);
    window.localStorage.setItem("hyperpod-instantstart.hidden.things", '["zone", "name"]');
    expect(shown()).toEqual(["name", "new"]);
  });

  it("are all shown when what was kept does not read", () => {
    window.localStorage.setItem("hyperpod-instantstart.hidden.things", "{");
    expect(shown()).toEqual(["name", "zone", "new"]);
  });
});
