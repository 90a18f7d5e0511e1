// A table that fits into the page at every width: columns that have no room are folded below the name of their row.
import Table, { type TableProps } from "@cloudscape-design/components/table";
import { type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { folded } from "./fit";

interface Props<T> extends TableProps<T> {
  /** Columns that are folded before others, the least needed first. */
  foldFirst?: readonly string[];
  /** Columns that are never folded, such as the one with the buttons. */
  neverFold?: readonly string[];
}

type Column<T> = TableProps.ColumnDefinition<T>;

/** The pixels that an element has for its content; nothing where nothing is laid out. */
function useRoom() {
  const ref = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>();
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => setRoom(element.clientWidth || undefined);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return { ref, room };
}

/**
 * The pixels by which a table is wider than its place all the same: words can be longer than their column was thought to
 * be. What was found stays until the place or the columns are others, so that nothing is folded and unfolded in turn.
 */
function useExcess(ref: RefObject<HTMLDivElement | null>, place: string): number {
  const [found, setFound] = useState({ place, pixels: 0 });
  const pixels = found.place === place ? found.pixels : 0;
  useLayoutEffect(() => {
    const table = ref.current?.querySelector("table");
    const over = table ? table.offsetWidth - (table.parentElement?.clientWidth ?? table.offsetWidth) : 0;
    if (over > 0) setFound({ place, pixels: pixels + over });
  });
  return pixels;
}

const isNothing = (content: ReactNode) => content === undefined || content === null || content === "";

function Folded<T>({ columns, item }: { columns: readonly Column<T>[]; item: T }) {
  const lines = columns
    .map((column) => ({ id: column.id, header: column.header, content: column.cell(item) }))
    .filter(({ content }) => !isNothing(content));
  if (lines.length === 0) return null;
  return (
    <dl className="folded">
      {lines.map(({ id, header, content }) => (
        <div key={id}>
          <dt>{header}</dt>
          <dd>{content}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The columns in their order of display; all of them where none is given. */
function displayed<T>(columns: readonly Column<T>[], display: TableProps<T>["columnDisplay"]) {
  if (!display) return [...columns];
  const visible = display.flatMap((entry) => ("id" in entry && entry.visible ? [entry.id] : []));
  return visible.flatMap((id) => columns.filter((column) => column.id === id));
}

export function FittingTable<T>({ foldFirst, neverFold, columnDefinitions, columnDisplay, ...props }: Props<T>) {
  const { ref, room } = useRoom();
  const shown = displayed(columnDefinitions, columnDisplay);
  const excess = useExcess(ref, `${room} ${shown.map(({ id }) => id).join(" ")}`);
  const rest = room === undefined ? undefined : room - excess;
  const away = folded(shown, rest, { first: foldFirst, kept: neverFold }).join(" ");
  const columns = useMemo(() => {
    const ids = away ? away.split(" ") : [];
    const below = columnDefinitions.filter(({ id = "" }) => ids.includes(id));
    return columnDefinitions.map((column) => {
      if (!column.isRowHeader || below.length === 0) return column;
      const cell = (item: T) => (
        <>
          {column.cell(item)}
          <Folded columns={below} item={item} />
        </>
      );
      return { ...column, cell };
    });
  }, [away, columnDefinitions]);
  const display = shown.map(({ id = "" }) => ({ id, visible: !away.split(" ").includes(id) }));
  return (
    <div ref={ref}>
      <Table {...props} wrapLines columnDefinitions={columns} columnDisplay={display} />
    </div>
  );
}
