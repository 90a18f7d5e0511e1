// What a user means to do, once: the idempotency key that every try of it carries.
//
// A lost answer is tried again under the same key, so that nothing is made twice. Another content is another intention,
// and so is the same content after the first has been carried out.
import { useCallback, useRef, useState } from "react";
import { asApiError, post } from "./client";
import type { ApiError } from "./problem";

/** Gives out keys: the same one until the content changes or the intention is carried out. */
export class Intention {
  #content = "";
  #key = "";

  keyFor(content: string): string {
    if (!this.#key || content !== this.#content) {
      this.#content = content;
      this.#key = crypto.randomUUID();
    }
    return this.#key;
  }

  carriedOut(): void {
    this.#key = "";
  }
}

export interface Asking<T> {
  /** Sends; answers the result, or nothing if it failed (see `error`). */
  ask: (path: string, content: unknown) => Promise<T | undefined>;
  busy: boolean;
  error: ApiError | undefined;
  clear: () => void;
}

/** Sends changes of one form or dialog, one at a time. */
export function useAsking<T>(): Asking<T> {
  const intention = useRef(new Intention());
  const sending = useRef(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();

  const ask = useCallback(async (path: string, content: unknown) => {
    if (sending.current) return undefined;
    sending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const key = intention.current.keyFor(path + JSON.stringify(content));
      const answer = await post<T>(path, content, key);
      intention.current.carriedOut();
      return answer;
    } catch (thrown) {
      setError(asApiError(thrown));
      return undefined;
    } finally {
      sending.current = false;
      setBusy(false);
    }
  }, []);

  const clear = useCallback(() => setError(undefined), []);
  return { ask, busy, error, clear };
}
