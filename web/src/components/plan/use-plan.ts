// The plan of a request, asked for anew whenever the request changes; nothing is changed by it.
import { useCallback, useEffect, useState } from "react";
import { asApiError, isAborted, post } from "../../api/client";
import type { ApiError } from "../../api/problem";
import { validateOnly } from "../../api/resources";
import type { PlanView } from "../../api/schema";

export interface Planned {
  plan: PlanView | undefined;
  error: ApiError | undefined;
  loading: boolean;
  again: () => void;
}

/** `content` absent: nothing is asked for. */
export function usePlan(path: string, content: unknown): Planned {
  const wanted = content === undefined ? undefined : JSON.stringify(content);
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<{ of?: string; plan?: PlanView; error?: ApiError }>({});
  const of = wanted === undefined ? undefined : `${tries} ${path} ${wanted}`;

  useEffect(() => {
    if (of === undefined || wanted === undefined) return undefined;
    const controller = new AbortController();
    post<PlanView>(validateOnly(path), JSON.parse(wanted), crypto.randomUUID(), controller.signal)
      .then((plan) => setState({ of, plan }))
      .catch((thrown: unknown) => {
        if (!isAborted(thrown)) setState({ of, error: asApiError(thrown) });
      });
    return () => controller.abort();
  }, [of, path, wanted]);

  const again = useCallback(() => setTries((held) => held + 1), []);
  const isCurrent = of !== undefined && state.of === of;
  return {
    plan: isCurrent ? state.plan : undefined,
    error: isCurrent ? state.error : undefined,
    loading: of !== undefined && !isCurrent,
    again,
  };
}
