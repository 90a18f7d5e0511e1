// Cursor paging for tables: the way back is remembered, the way forward is the server's cursor.
import type { PaginationProps } from "@cloudscape-design/components/pagination";
import { useState } from "react";

export interface Paging {
  cursor: string | undefined;
  /** Properties of the table's Pagination, given the cursor of the page that follows. */
  props: (next: string | undefined, what: string) => PaginationProps;
  restart: () => void;
}

export function usePaging(): Paging {
  const [cursors, setCursors] = useState<(string | undefined)[]>([undefined]);
  const [index, setIndex] = useState(0);
  const go = (target: number, next: string | undefined) => {
    if (target < cursors.length) return setIndex(target);
    if (!next) return undefined;
    setCursors([...cursors, next]);
    return setIndex(cursors.length);
  };
  return {
    cursor: cursors[index],
    restart: () => {
      setCursors([undefined]);
      setIndex(0);
    },
    props: (next, what) => {
      const isLastKnown = index === cursors.length - 1;
      return {
        currentPageIndex: index + 1,
        pagesCount: cursors.length + (isLastKnown && next ? 1 : 0),
        openEnd: Boolean(next),
        onChange: ({ detail }) => go(detail.currentPageIndex - 1, isLastKnown ? next : undefined),
        ariaLabels: {
          paginationLabel: `Pages of ${what}`,
          nextPageLabel: "Next page",
          previousPageLabel: "Previous page",
          pageLabel: (page) => `Page ${page}`,
        },
      };
    },
  };
}
