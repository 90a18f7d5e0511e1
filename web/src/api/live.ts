// Reads that follow the world by asking again: fast while something runs, slowly else, not at all while the page is
// hidden, ever more slowly while the control plane does not answer.
import { useCallback, useEffect, useRef, useState } from "react";
import { asApiError, get, getAll, isAborted, type Query, withQuery } from "./client";
import { type ApiError, mayPass } from "./problem";

export const RUNNING_MS = 2_000;
export const QUIET_MS = 15_000;
const BACKOFF_MAX_MS = 60_000;

/** Milliseconds to the next read; nothing: only when asked. */
export type Pace<T> = (data: T) => number | undefined;

export interface Live<T> {
  /** The last answer; it stays while later reads fail. */
  data: T | undefined;
  /** Why the last read failed, if it did. */
  error: ApiError | undefined;
  /** The first answer is being waited for. */
  loading: boolean;
  refresh: () => void;
}

/** Milliseconds to wait after `failures` failed reads in a row: 2 s doubled each time, at most a minute. */
export const backoff = (failures: number, retryAfter?: number): number =>
  Math.max(Math.min(RUNNING_MS * 2 ** (failures - 1), BACKOFF_MAX_MS), (retryAfter ?? 0) * 1000);

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
        setState((held) => (held.key === key && held.data === data && !held.error ? held : { key, data }));
        later(latest.current.pace(data));
      } catch (thrown) {
        if (isAborted(thrown) || controller.signal.aborted) return;
        const error = asApiError(thrown);
        failures += 1;
        setState((held) => ({ key, error, data: held.key === key ? held.data : undefined }));
        later(mayPass(error) ? backoff(failures, error.retryAfter) : error.status === 401 ? undefined : QUIET_MS);
      } finally {
        reading = false;
      }
    };
    const shown = () => (document.hidden ? clearTimeout(timer) : void look());

    again.current = () => void look();
    document.addEventListener("visibilitychange", shown);
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [key]);

  const refresh = useCallback(() => again.current(), []);
  const current: State<T> = state.key === key ? state : { key };
  const { data, error } = current;
  return { data, error, loading: key !== undefined && data === undefined && !error, refresh };
}

/** Follows one resource. */
export function useResource<T>(path: string | undefined, query: Query, pace: Pace<T>): Live<T> {
  const key = path === undefined ? undefined : withQuery(path, query);
  return useLive<T>(key, (signal) => get<T>(path ?? "", query, signal), pace);
}

/** Reads a whole list, page by page. */
export function useWholeList<Item>(path: string | undefined, query: Query, pace: Pace<Item[]>): Live<Item[]> {
  const key = path === undefined ? undefined : withQuery(path, query);
  return useLive<Item[]>(key, (signal) => getAll<Item>(path ?? "", query, signal), pace);
}

/** A pace for what changes only if somebody asks. */
export const once = (): undefined => undefined;

/** A pace: fast while something runs. */
export const paceOf = (running: boolean): number => (running ? RUNNING_MS : QUIET_MS);
