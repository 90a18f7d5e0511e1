// Messages that outlive the page on which they arose, stacked at the top: one for each operation that was asked for here.
import type { FlashbarProps } from "@cloudscape-design/components/flashbar";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from "react";
import type { OperationAccepted } from "../api/schema";
import { Follower, ShowOperation, type Standing } from "./followed";
import { kind } from "./words";

interface Notice extends Standing {
  operationId: string;
  warnings: readonly string[];
  /** Counts what was asked for here, so that a retry is asked about at once. */
  round: number;
}

interface Notices {
  items: FlashbarProps.MessageDefinition[];
  /** Follows an operation from its acceptance to its end. */
  follow: (accepted: OperationAccepted) => void;
  /** What follows the operations; it draws nothing. */
  followers: ReactNode;
  clear: () => void;
}

const Context = createContext<Notices>({ items: [], follow: () => {}, followers: null, clear: () => {} });
const AT_MOST = 5;

function Content({ notice }: { notice: Notice }) {
  return (
    <>
      {notice.content}
      {notice.warnings.length > 0 && (
        <ul className="plain-list">
          {notice.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function toItem(notice: Notice, dismiss: () => void): FlashbarProps.MessageDefinition {
  return {
    id: notice.operationId,
    type: notice.type,
    loading: notice.type === "in-progress",
    header: notice.header,
    content: <Content notice={notice} />,
    action: <ShowOperation id={notice.operationId} />,
    dismissible: true,
    dismissLabel: `Dismiss the message about ${notice.header}`,
    onDismiss: dismiss,
    ariaRole: notice.type === "error" ? "alert" : "status",
  };
}

export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const rounds = useRef(0);
  const follow = useCallback(({ operationId, kind: what, clusterTag, warnings = [] }: OperationAccepted) => {
    const header = `${kind(what)}: ${clusterTag}: accepted`;
    rounds.current += 1;
    const round = rounds.current;
    const notice: Notice = { operationId, type: "in-progress", header, content: "", warnings, round };
    setNotices((held) => [notice, ...held.filter((one) => one.operationId !== operationId)].slice(0, AT_MOST));
  }, []);
  const tell = useCallback((operationId: string, standing: Standing) => {
    setNotices((held) => held.map((one) => (one.operationId === operationId ? { ...one, ...standing } : one)));
  }, []);
  const clear = useCallback(() => setNotices([]), []);
  const value = useMemo(() => {
    const dismiss = (id: string) => setNotices((held) => held.filter(({ operationId }) => operationId !== id));
    return {
      items: notices.map((notice) => toItem(notice, () => dismiss(notice.operationId))),
      follow,
      followers: notices.map(({ operationId, round }) => <Told key={round} id={operationId} tell={tell} />),
      clear,
    };
  }, [notices, follow, tell, clear]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

function Told({ id, tell }: { id: string; tell: (id: string, standing: Standing) => void }) {
  const told = useCallback((standing: Standing) => tell(id, standing), [id, tell]);
  return <Follower id={id} tell={told} />;
}

export const useNotices = (): Notices => useContext(Context);
