// An intention keeps its key over every try of it, and no longer.
import { act, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Intention, useAsking } from "./intention";

afterEach(() => vi.unstubAllGlobals());

describe("an intention", () => {
  it("has one key while its content is the same", () => {
    const intention = new Intention();
    expect(intention.keyFor("a")).toBe(intention.keyFor("a"));
  });

  it("with another content is another one", () => {
    const intention = new Intention();
    expect(intention.keyFor("a")).not.toBe(intention.keyFor("b"));
  });

  it("that was carried out is over: the same content again is a new one", () => {
    const intention = new Intention();
    const first = intention.keyFor("a");
    intention.carriedOut();
    expect(intention.keyFor("a")).not.toBe(first);
  });
});

describe("asking", () => {
  it("after a lost answer tries again under the same key, and after success under another", async () => {
    const keys: (string | null)[] = [];
    const answers = [
      () => Promise.reject(new TypeError("connection lost")),
      () => Promise.resolve(new Response('{"operationId":"o"}', { status: 202 })),
      () => Promise.resolve(new Response('{"operationId":"p"}', { status: 202 })),
    ];
    vi.stubGlobal("fetch", (_url: string, init: RequestInit) => {
      keys.push(new Headers(init.headers).get("Idempotency-Key"));
      return answers.shift()?.();
    });
    const { result } = renderHook(() => useAsking<{ operationId: string }>());
    await act(async () => expect(await result.current.ask("/v1/x", { a: 1 })).toBeUndefined());
    expect(result.current.error?.status).toBe(0);
    await act(async () => expect(await result.current.ask("/v1/x", { a: 1 })).toEqual({ operationId: "o" }));
    expect(result.current.error).toBeUndefined();
    await act(async () => expect(await result.current.ask("/v1/x", { a: 1 })).toEqual({ operationId: "p" }));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[1]);
  });

  it("sends a double click once", async () => {
    const fetch = vi.fn(async () => new Response("{}", { status: 202 }));
    vi.stubGlobal("fetch", fetch);
    const { result } = renderHook(() => useAsking());
    await act(async () => {
      await Promise.all([result.current.ask("/v1/x", {}), result.current.ask("/v1/x", {})]);
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});
