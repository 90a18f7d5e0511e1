// Messages that outlive the page on which they arose ("operation accepted"), stacked at the top.
import type { FlashbarProps } from "@cloudscape-design/components/flashbar";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";

type Notice = Pick<FlashbarProps.MessageDefinition, "type" | "header" | "content" | "action">;

interface Notices {
  items: FlashbarProps.MessageDefinition[];
  tell: (notice: Notice) => void;
}

const Context = createContext<Notices>({ items: [], tell: () => {} });
const AT_MOST = 5;

export function NoticesProvider({ children }: { children: ReactNode }) {
  const [items, setItems] = useState<FlashbarProps.MessageDefinition[]>([]);
  const tell = useCallback((notice: Notice) => {
    const id = crypto.randomUUID();
    const dismiss = () => setItems((held) => held.filter((item) => item.id !== id));
    const item = { ...notice, id, dismissible: true, dismissLabel: "Dismiss the message", onDismiss: dismiss };
    setItems((held) => [item, ...held].slice(0, AT_MOST));
  }, []);
  const value = useMemo(() => ({ items, tell }), [items, tell]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export const useNotices = (): Notices => useContext(Context);
