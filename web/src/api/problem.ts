// What can go wrong with a request, as one error type with words for people.
import type { Problem } from "./schema";

/** An answer that is no result: a problem of the API, or no answer at all (status 0). */
export class ApiError extends Error {
  readonly problem: Problem;
  /** Seconds after which asking again is welcome, if the answer said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.detail || problem.title);
    this.name = "ApiError";
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** Whether the same request can succeed later without anybody changing it. */
export const mayPass = (error: ApiError): boolean => error.status === 0 || error.status === 429 || error.status >= 500;

const made = (status: number, code: string, title: string, detail: string, action: string): Problem =>
  ({ type: `about:blank#${code}`, status, code, title, detail, action, requestId: "" }) as unknown as Problem;

/** The request reached nobody, or its answer was lost on the way. */
export const unreachable = (): ApiError =>
  new ApiError(
    made(
      0,
      "network_unreachable",
      "The control plane does not answer",
      "The request got no answer. It may be restarting, or the connection is interrupted.",
      "The page asks again by itself.",
    ),
  );

/** The error of an answer that is not 2xx; also of one whose body is no problem document (a proxy's page). */
export async function readProblem(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  try {
    const body = (await response.json()) as Partial<Problem>;
    if (typeof body.code === "string" && typeof body.title === "string") {
      return new ApiError({ ...(body as Problem), status: response.status }, retryAfter);
    }
  } catch {
    // Not JSON: told below by its status alone.
  }
  const title = response.statusText || `HTTP ${response.status}`;
  return new ApiError(
    made(response.status, "internal", title, "The answer was not one of this API's.", ""),
    retryAfter,
  );
}

/** The fields of a problem by JSON pointer into the request's body (`/hyperpod/instanceGroups/gpu/zoneId`). */
export function fieldErrors(problem: Problem): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { pointer, detail } of problem.errors ?? []) {
    const at = pointer.replace(/^#/, "");
    fields[at] = fields[at] ? `${fields[at]} ${detail}` : detail;
  }
  return fields;
}

const HEADLINES: Record<number, string> = {
  0: "The control plane does not answer",
  403: "This needs more rights than your token has",
  404: "Not found",
  409: "Something else is in the way",
  412: "It has changed since it was read",
  422: "The request cannot be accepted",
  429: "Too many requests",
};

/** A headline for people that says which kind of trouble this is. */
export function headline({ status, problem }: ApiError): string {
  if (HEADLINES[status]) return HEADLINES[status];
  return status >= 500 ? "The control plane could not answer" : problem.title;
}
