// The client against a server's answers as they come over the wire.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signedOutReason, signIn, signOut, token } from "../session";
import { forgetAnswers, get, getAll, post, withQuery } from "./client";
import { silence } from "./connection";
import { ApiError, fieldErrors } from "./problem";

interface Sent {
  url: string;
  method: string;
  headers: Headers;
  body: unknown;
}

let sent: Sent[] = [];

/** Answers each request in turn, and keeps what was sent. */
function answering(...answers: (Response | Error)[]) {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const body = init.body ? JSON.parse(String(init.body)) : undefined;
    sent.push({ url, method: init.method ?? "GET", headers: new Headers(init.headers), body });
    const answer = answers.shift();
    if (!answer) throw new Error("one request too many");
    if (answer instanceof Error) throw answer;
    return answer;
  });
}

const json = (value: unknown, headers: Record<string, string> = {}, status = 200) =>
  new Response(JSON.stringify(value), { status, headers: { "Content-Type": "application/json", ...headers } });

const problem = (status: number, part: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  json(
    {
      type: "about:blank#x",
      title: "A title",
      status,
      detail: "A detail.",
      code: "conflict",
      requestId: "r-1",
      ...part,
    },
    headers,
    status,
  );

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected a problem, got ${String(error)}`);
  return error;
}

beforeEach(() => {
  sent = [];
  forgetAnswers();
  signIn("a-token");
});
afterEach(() => vi.unstubAllGlobals());

describe("reads", () => {
  it("sends the token as a header and never in the address", async () => {
    answering(json({ items: [] }));
    await get("/v1/clusters", { limit: 20, cursor: undefined });
    expect(sent[0]?.headers.get("Authorization")).toBe("Bearer a-token");
    expect(sent[0]?.url).toBe("/v1/clusters?limit=20");
  });

  it("asks with the ETag that it knows and answers the same object while nothing changed", async () => {
    answering(
      json({ tag: "a" }, { ETag: '"1"' }),
      new Response(null, { status: 304 }),
      json({ tag: "b" }, { ETag: '"2"' }),
    );
    const first = await get("/v1/clusters/a");
    const second = await get("/v1/clusters/a");
    const third = await get("/v1/clusters/a");
    expect(sent.map(({ headers }) => headers.get("If-None-Match"))).toEqual([null, '"1"', '"1"']);
    expect(second).toBe(first);
    expect(third).toEqual({ tag: "b" });
  });

  it("keeps an ETag for its own address only", async () => {
    answering(json({ tag: "a" }, { ETag: '"1"' }), json({ tag: "b" }));
    await get("/v1/clusters/a");
    await get("/v1/clusters/b");
    expect(sent[1]?.headers.get("If-None-Match")).toBeNull();
  });

  it("follows cursors to the end of a list", async () => {
    answering(json({ items: [1, 2], nextCursor: "c1" }), json({ items: [3] }));
    expect(await getAll("/v1/things", {})).toEqual([1, 2, 3]);
    expect(sent[1]?.url).toBe("/v1/things?limit=100&cursor=c1");
  });

  it("leaves parameters without a value out of the address", () => {
    expect(withQuery("/v1/x", { a: "", b: undefined, c: 0, d: false })).toBe("/v1/x?c=0&d=false");
    expect(withQuery("/v1/x", {})).toBe("/v1/x");
  });
});

describe("a whole list", () => {
  it("is the same one while none of its pages changed", async () => {
    const first = () => json({ items: [1], nextCursor: "c" }, { ETag: '"1"' });
    const unchanged = () => new Response(null, { status: 304 });
    answering(first(), json({ items: [2] }, { ETag: '"2"' }), unchanged(), unchanged());
    const before = await getAll("/v1/things", {});
    expect(await getAll("/v1/things", {})).toBe(before);
    answering(unchanged(), json({ items: [2, 3] }, { ETag: '"3"' }));
    expect(await getAll("/v1/things", {})).toEqual([1, 2, 3]);
  });
});

describe("silence", () => {
  it("lasts from the first request without an answer to the next answer, whatever it says", async () => {
    answering(new TypeError("Failed to fetch"), problem(503), json({}));
    await failure(get("/v1/things"));
    expect(silence()).toBeDefined();
    await failure(get("/v1/things"));
    expect(silence()).toBeUndefined();
  });
});

describe("changes", () => {
  it("carry the idempotency key and a JSON body", async () => {
    answering(json({ operationId: "o" }, {}, 202));
    await post("/v1/clusters", { tag: "a" }, "key-1");
    expect(sent[0]).toMatchObject({ url: "/v1/clusters", method: "POST", body: { tag: "a" } });
    expect(sent[0]?.headers.get("Idempotency-Key")).toBe("key-1");
    expect(sent[0]?.headers.get("Content-Type")).toBe("application/json");
  });
});

describe("problems", () => {
  it("keep code, request id and fields", async () => {
    const errors = [
      { pointer: "/tag", detail: "In use." },
      { pointer: "#/hyperpod/instanceGroups/gpu/zoneId", detail: "Not a zone." },
      { pointer: "/tag", detail: "Too long." },
    ];
    answering(problem(409, { errors, operationId: "01J" }));
    const error = await failure(post("/v1/clusters", {}, "k"));
    expect([error.status, error.problem.code, error.problem.operationId]).toEqual([409, "conflict", "01J"]);
    expect(fieldErrors(error.problem)).toEqual({
      "/tag": "In use. Too long.",
      "/hyperpod/instanceGroups/gpu/zoneId": "Not a zone.",
    });
  });

  it("of a rate limit say when to ask again", async () => {
    answering(problem(429, { code: "throttled" }, { "Retry-After": "7" }));
    expect((await failure(get("/v1/clusters"))).retryAfter).toBe(7);
  });

  it("that are no problem documents are told by their status", async () => {
    answering(new Response("<html>bad gateway</html>", { status: 502, statusText: "Bad Gateway" }));
    const error = await failure(get("/v1/clusters"));
    expect([error.status, error.problem.title]).toEqual([502, "Bad Gateway"]);
  });

  it("of a connection that fails have status 0", async () => {
    answering(new TypeError("Failed to fetch"));
    expect((await failure(get("/v1/clusters"))).status).toBe(0);
  });

  it("401 signs out with the reason", async () => {
    answering(problem(401, { code: "unauthenticated", detail: "The token has ended." }));
    await failure(get("/v1/clusters"));
    expect([token(), signedOutReason()]).toEqual(["", "The token has ended."]);
  });

  it("401 for a token that was replaced meanwhile does not sign the new one out", async () => {
    vi.stubGlobal("fetch", async () => {
      signIn("newer");
      return problem(401, { code: "unauthenticated" });
    });
    await failure(get("/v1/clusters"));
    expect(token()).toBe("newer");
    signOut();
  });
});
