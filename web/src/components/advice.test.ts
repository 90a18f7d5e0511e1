// What is left of the API's advice on a page with buttons.
import { describe, expect, it } from "vitest";
import { advice } from "./advice";

describe("advice", () => {
  it("leaves out sentences that name a tool", () => {
    const text = "Try again: what was made is kept. Then call run_stage with abc and control-plane.";
    expect(advice(text)).toBe("Try again: what was made is kept.");
    expect(advice("Call wait_for_operation with 01M8 until done is true (GET /v1/operations/01M8/wait).")).toBe("");
  });

  it("keeps the rest as it is", () => {
    const text = "Raise the quota ml.p5.48xlarge for cluster usage to 4. It takes a day or two.";
    expect(advice(text)).toBe(text);
    expect(advice(undefined)).toBe("");
  });
});
