// Which columns of a table stand beside each other in the room that there is. The others are folded: shown as lines below
// the name of their row, so that nothing is cut and nothing scrolls sideways.

export interface Sized {
  id?: string;
  /** Pixels that its content needs without being broken within words. */
  minWidth?: number | string;
  isRowHeader?: boolean;
}

const DEFAULT_WIDTH = 110;
// The table's own padding, left and right, and its border.
const AROUND = 44;

const widthOf = ({ minWidth }: Sized): number => (typeof minWidth === "number" ? minWidth : DEFAULT_WIDTH);

/**
 * The ids of the columns to fold so that the rest fits into `room` pixels: those of `first` in their order, then from the
 * last column backwards. The one that names the row and those of `kept` are never folded. `room` absent: all fit.
 */
export function folded(
  columns: readonly Sized[],
  room: number | undefined,
  { first = [], kept = [] }: { first?: readonly string[]; kept?: readonly string[] } = {},
): string[] {
  if (room === undefined) return [];
  const given = columns.filter(({ id, isRowHeader }) => !isRowHeader && !kept.includes(id ?? ""));
  const rank = (id = "") => (first.includes(id) ? first.indexOf(id) : first.length);
  const order = [...given].reverse().sort((a, b) => rank(a.id) - rank(b.id));
  let needed = columns.reduce((sum, column) => sum + widthOf(column), AROUND);
  const out: string[] = [];
  for (const column of order) {
    if (needed <= room) break;
    out.push(column.id ?? "");
    needed -= widthOf(column);
  }
  return out;
}
