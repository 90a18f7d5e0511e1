// Columns are folded until the rest fits, the least needed ones first.
import { describe, expect, it } from "vitest";
import { folded } from "./fit";

const COLUMNS = [
  { id: "name", isRowHeader: true, minWidth: 150 },
  { id: "state", minWidth: 100 },
  { id: "zone", minWidth: 100 },
  { id: "age", minWidth: 100 },
];

describe("columns that do not fit", () => {
  it("are folded from the last one backwards, and never the one that names the row", () => {
    expect(folded(COLUMNS, 500)).toEqual([]);
    expect(folded(COLUMNS, 480)).toEqual(["age"]);
    expect(folded(COLUMNS, 320)).toEqual(["age", "zone"]);
    expect(folded(COLUMNS, 10)).toEqual(["age", "zone", "state"]);
  });

  it("are folded in the order that is asked for, and some are kept", () => {
    expect(folded(COLUMNS, 480, { first: ["zone"] })).toEqual(["zone"]);
    expect(folded(COLUMNS, 10, { first: ["zone"], kept: ["state"] })).toEqual(["zone", "age"]);
  });

  it("are none while the room is not known", () => expect(folded(COLUMNS, undefined)).toEqual([]));
});
