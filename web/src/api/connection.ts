// Whether the control plane answers at all, for the whole console: one place that knows, told by every request.

let silentSince: string | undefined;
const listeners = new Set<() => void>();

const change = (since: string | undefined) => {
  silentSince = since;
  listeners.forEach((listener) => listener());
};

/** An answer arrived, whatever it says. */
export function answered(): void {
  if (silentSince !== undefined) change(undefined);
}

/** A request got no answer. */
export function unanswered(now = new Date()): void {
  if (silentSince === undefined) change(now.toISOString());
}

/** Since when nothing answers, RFC 3339 UTC; nothing while something does. */
export const silence = (): string | undefined => silentSince;

/** Calls back when the control plane falls silent or answers again; answers how to stop that. */
export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
