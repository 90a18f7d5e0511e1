// The one place that speaks HTTP: the token as a header, ETags on reads, an idempotency key on everything that changes
// something, problems as `ApiError`. It knows no route.
import { signOut, token } from "../session";
import { answered, unanswered } from "./connection";
import { ApiError, readProblem, unreachable } from "./problem";

export type Query = Record<string, string | number | boolean | undefined>;

interface Remembered {
  etag: string;
  body: unknown;
}

const REMEMBERED_AT_MOST = 200;
const remembered = new Map<string, Remembered>();

/** Forgets every answer kept for its ETag; a new token may see other things. */
export const forgetAnswers = (): void => remembered.clear();

function remember(url: string, entry: Remembered): void {
  remembered.delete(url);
  remembered.set(url, entry);
  const oldest = remembered.keys().next();
  if (remembered.size > REMEMBERED_AT_MOST && !oldest.done) remembered.delete(oldest.value);
}

/** The path with a query string of the parameters that have a value. */
export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

// Longer than any check takes. What has not answered by then is not waited for.
const PATIENCE_MS = 60_000;

function limited(signal: AbortSignal | null | undefined): AbortSignal {
  const limit = AbortSignal.timeout(PATIENCE_MS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const asked = token();
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      signal: limited(init.signal),
      cache: "no-store",
      credentials: "omit",
      headers: { ...init.headers, Authorization: `Bearer ${asked}` },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    unanswered();
    throw unreachable();
  }
  answered();
  if (response.ok || response.status === 304) return response;
  const problem = await readProblem(response);
  // A sign-in meanwhile is not undone by the late answer to the token before.
  if (response.status === 401 && asked === token()) {
    forgetAnswers();
    signOut(problem.problem.detail || "The access token is not valid.");
  }
  throw problem;
}

async function body<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch {
    throw unreachable();
  }
}

/** Reads. The same object is answered while the server says that nothing changed. */
export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const url = withQuery(path, query);
  const known = remembered.get(url);
  const headers: Record<string, string> = { Accept: "application/json" };
  if (known) headers["If-None-Match"] = known.etag;
  const response = await send(url, { method: "GET", headers, signal });
  if (response.status === 304 && known) return known.body as T;
  const answer = await body<T>(response);
  const etag = response.headers.get("ETag");
  if (etag) remember(url, { etag, body: answer });
  return answer;
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

const PAGES_AT_MOST = 50;

// The whole list of a key with the pages that it was made of, so that unchanged pages are the same list.
const joined = new WeakMap<object, { pages: readonly object[]; items: readonly unknown[] }>();

/** The items of pages as one list; the same list for the same pages. */
function join<Item>(pages: readonly Page<Item>[]): readonly Item[] {
  const first = pages[0];
  if (!first) return [];
  const known = joined.get(first);
  const isSame = known?.pages.length === pages.length && known.pages.every((page, index) => page === pages[index]);
  if (known && isSame) return known.items as readonly Item[];
  const items = pages.flatMap((page) => page.items);
  joined.set(first, { pages, items });
  return items;
}

/** Reads every page of a list. The same list is answered while the server says that no page changed. */
export async function getAll<Item>(path: string, query: Query, signal?: AbortSignal): Promise<readonly Item[]> {
  const pages: Page<Item>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_AT_MOST; page += 1) {
    const answer: Page<Item> = await get<Page<Item>>(path, { ...query, limit: 100, cursor }, signal);
    pages.push(answer);
    cursor = answer.nextCursor;
    if (!cursor) break;
  }
  return join(pages);
}

/** Asks for a change. `key` is the intention's: the same for every try of it. */
export async function post<T>(path: string, content: unknown, key: string, signal?: AbortSignal): Promise<T> {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "Idempotency-Key": key };
  return body<T>(await send(path, { method: "POST", headers, body: JSON.stringify(content), signal }));
}

/** Whether the request was given up by us. */
export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

/** Any thrown thing as an `ApiError`. */
export const asApiError = (error: unknown): ApiError => (error instanceof ApiError ? error : unreachable());
