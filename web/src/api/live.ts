// Reads that follow the world by asking again: fast while something runs, slowly else, not at all while the page is
// hidden, ever more slowly while the control plane does not answer.
import { useCallback, useEffect, useRef, useState } from "react";
import { onConnection, silence } from "./connection";
import { asApiError, get, getAll, isAborted, type Query, withQuery } from "./client";
import { type ApiError, mayPass } from "./problem";

export const RUNNING_MS = 2_000;
export const QUIET_MS = 15_000;
const BACKOFF_MAX_MS = 60_000;
// Nobody is there to be overwhelmed, and somebody waits for the console to come back.
const SILENCE_MAX_MS = 10_000;

/** Milliseconds to the next read; nothing: only when asked. */
export type Pace<T> = (data: T) => number | undefined;

export interface Live<T> {
  /** The last answer; it stays while later reads fail. */
  data: T | undefined;
  /** Why the last read failed, if it did. */
  error: ApiError | undefined;
  /** The first answer is being waited for. */
  loading: boolean;
  /** When the answer that is shown was the newest, RFC 3339 UTC; while reads fail it falls behind. */
  readAt: string | undefined;
  refresh: () => void;
}

/** Milliseconds to wait after `failures` failed reads in a row: 2 s doubled each time, at most a minute. */
export const backoff = (failures: number, retryAfter?: number): number =>
  Math.max(Math.min(RUNNING_MS * 2 ** (failures - 1), BACKOFF_MAX_MS), (retryAfter ?? 0) * 1000);

/** Milliseconds to the next read after a failed one. */
function wait(error: ApiError, failures: number): number | undefined {
  if (error.status === 0) return Math.min(backoff(failures), SILENCE_MAX_MS);
  if (mayPass(error)) return backoff(failures, error.retryAfter);
  return error.status === 401 ? undefined : QUIET_MS;
}

interface State<T> {
  key: string | undefined;
  data?: T;
  error?: ApiError;
}

/** Reads again and again. `key` names what is read: another key is another read, none is none. */
export function useLive<T>(key: string | undefined, read: (signal: AbortSignal) => Promise<T>, pace: Pace<T>): Live<T> {
  const [state, setState] = useState<State<T>>({ key });
  const latest = useRef({ read, pace });
  latest.current = { read, pace };
  const again = useRef<() => void>(() => {});
  // Not state: it moves with every read, and nothing is drawn anew for it unless reads begin to fail.
  const readAt = useRef<string>(undefined);

  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let reading = false;

    const later = (ms: number | undefined) => {
      clearTimeout(timer);
      if (ms !== undefined && !document.hidden && !controller.signal.aborted) timer = setTimeout(look, ms);
    };
    const look = async () => {
      if (reading) return;
      reading = true;
      clearTimeout(timer);
      try {
        const data = await latest.current.read(controller.signal);
        if (controller.signal.aborted) return;
        failures = 0;
        readAt.current = new Date().toISOString();
        setState((held) => (held.key === key && held.data === data && !held.error ? held : { key, data }));
        later(latest.current.pace(data));
      } catch (thrown) {
        if (isAborted(thrown) || controller.signal.aborted) return;
        const error = asApiError(thrown);
        failures += 1;
        setState((held) => ({ key, error, data: held.key === key ? held.data : undefined }));
        later(wait(error, failures));
      } finally {
        reading = false;
      }
    };
    const shown = () => (document.hidden ? clearTimeout(timer) : void look());

    // Once one read is answered again, all others are worth asking for at once.
    const back = () => silence() === undefined && failures > 0 && !document.hidden && void look();
    const forget = onConnection(back);
    again.current = () => void look();
    readAt.current = undefined;
    document.addEventListener("visibilitychange", shown);
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      forget();
      document.removeEventListener("visibilitychange", shown);
    };
  }, [key]);

  const refresh = useCallback(() => again.current(), []);
  const current: State<T> = state.key === key ? state : { key };
  const { data, error } = current;
  const loading = key !== undefined && data === undefined && !error;
  return { data, error, loading, readAt: data === undefined ? undefined : readAt.current, refresh };
}

/** Follows one resource. */
export function useResource<T>(path: string | undefined, query: Query, pace: Pace<T>): Live<T> {
  const key = path === undefined ? undefined : withQuery(path, query);
  return useLive<T>(key, (signal) => get<T>(path ?? "", query, signal), pace);
}

/** Reads a whole list, page by page. */
export function useWholeList<Item>(
  path: string | undefined,
  query: Query,
  pace: Pace<readonly Item[]>,
): Live<readonly Item[]> {
  const key = path === undefined ? undefined : withQuery(path, query);
  return useLive<readonly Item[]>(key, (signal) => getAll<Item>(path ?? "", query, signal), pace);
}

/** A pace for what changes only if somebody asks. */
export const once = (): undefined => undefined;

/** A pace: fast while something runs. */
export const paceOf = (running: boolean): number => (running ? RUNNING_MS : QUIET_MS);
