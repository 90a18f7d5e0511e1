// Reading again and again: how fast, when not, and what stays on the page. The clock is the test's.
import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { backoff, paceOf, QUIET_MS, RUNNING_MS, useLive } from "./live";
import { answered, unanswered } from "./connection";
import { ApiError, unreachable } from "./problem";

const refusal = (status: number, retryAfter?: number) =>
  new ApiError(
    { type: "about:blank#x", title: "t", detail: "d", code: "internal", requestId: "", status } as never,
    retryAfter,
  );

const pass = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));

function hide(hidden: boolean) {
  Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  hide(false);
  vi.useRealTimers();
});

describe("a live read", () => {
  it("asks every 2 s while something runs and every 15 s else", async () => {
    let running = true;
    const read = vi.fn(async () => ({ running }));
    renderHook(() => useLive("a", read, (data) => paceOf(data.running)));
    await pass(0);
    expect(read).toHaveBeenCalledTimes(1);
    await pass(RUNNING_MS);
    expect(read).toHaveBeenCalledTimes(2);
    running = false;
    await pass(RUNNING_MS);
    await pass(QUIET_MS - 1);
    expect(read).toHaveBeenCalledTimes(3);
    await pass(1);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it("rests while the page is hidden and asks at once when it is shown", async () => {
    const read = vi.fn(async () => 1);
    renderHook(() => useLive("a", read, () => RUNNING_MS));
    await pass(0);
    await act(async () => hide(true));
    await pass(10 * RUNNING_MS);
    expect(read).toHaveBeenCalledTimes(1);
    await act(async () => hide(false));
    await pass(0);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("keeps the last answer while later reads fail, and asks ever more slowly", async () => {
    const read = vi.fn<() => Promise<string>>().mockResolvedValueOnce("seen").mockRejectedValue(refusal(503));
    const { result } = renderHook(() => useLive("a", read, () => RUNNING_MS));
    await pass(0);
    await pass(RUNNING_MS);
    expect([result.current.data, result.current.error?.status]).toEqual(["seen", 503]);
    await pass(backoff(1));
    expect(read).toHaveBeenCalledTimes(3);
    await pass(backoff(2) - 1);
    expect(read).toHaveBeenCalledTimes(3);
    await pass(1);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it("says when what is shown was read", async () => {
    const read = vi.fn<() => Promise<string>>().mockResolvedValueOnce("seen").mockRejectedValue(refusal(503));
    vi.setSystemTime("2026-11-30T21:00:00Z");
    const { result } = renderHook(() => useLive("a", read, () => RUNNING_MS));
    await pass(0);
    await pass(RUNNING_MS + backoff(1));
    expect([result.current.error?.status, result.current.readAt]).toEqual([503, "2026-11-30T21:00:00.000Z"]);
  });

  it("is not drawn anew for an answer that is the same", async () => {
    const answer = { running: true };
    let drawn = 0;
    renderHook(() => {
      drawn += 1;
      return useLive(
        "a",
        async () => answer,
        () => RUNNING_MS,
      );
    });
    await pass(0);
    // React draws once more before it sees that nothing changes.
    await pass(RUNNING_MS);
    const before = drawn;
    await pass(5 * RUNNING_MS);
    expect(drawn).toBe(before);
  });

  it("asks at most every 10 s while nothing answers, and at once when something does", async () => {
    const read = vi.fn<() => Promise<string>>().mockRejectedValue(unreachable());
    unanswered();
    renderHook(() => useLive("a", read, () => RUNNING_MS));
    await pass(0);
    await pass(60_000);
    const before = read.mock.calls.length;
    await pass(10_000);
    expect(read).toHaveBeenCalledTimes(before + 1);
    await act(async () => answered());
    expect(read).toHaveBeenCalledTimes(before + 2);
  });

  it("of another key shows nothing of the one before", async () => {
    const read = vi.fn(async () => "first");
    const never = () => new Promise<string>(() => {});
    const { result, rerender } = renderHook(
      ({ key, reader }: { key: string; reader: () => Promise<string> }) => useLive(key, reader, () => undefined),
      { initialProps: { key: "a", reader: read as () => Promise<string> } },
    );
    await pass(0);
    expect(result.current.data).toBe("first");
    rerender({ key: "b", reader: never });
    expect([result.current.data, result.current.loading]).toEqual([undefined, true]);
  });

  it("stops when the page is left", async () => {
    const read = vi.fn(async () => 1);
    const { unmount } = renderHook(() => useLive("a", read, () => RUNNING_MS));
    await pass(0);
    unmount();
    await pass(10 * RUNNING_MS);
    expect(read).toHaveBeenCalledTimes(1);
  });
});

describe("backoff", () => {
  it("doubles up to a minute and heeds Retry-After", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((failures) => backoff(failures))).toEqual([2e3, 4e3, 8e3, 16e3, 32e3, 60e3, 60e3]);
    expect(backoff(1, 90)).toBe(90_000);
  });
});
