// What is left of the API's advice on a page with buttons.
import { describe, expect, it } from "vitest";
import { advice, capitalised } from "./advice";

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

describe("capitalised", () => {
  it("begins a sentence", () => {
    expect(capitalised("create EKS cluster demo")).toBe("Create EKS cluster demo");
    expect(capitalised("on-demand: a quota is a permission")).toBe("On-demand: a quota is a permission");
    expect(capitalised("no S3 gateway endpoint")).toBe("No S3 gateway endpoint");
  });

  it("leaves ids and services as they are written", () => {
    for (const text of [
      "rtb-0b0e2b0ec2a05ae02 has no default route",
      "eks CreateCluster: too many",
      "ml.p5.48xlarge",
    ]) {
      expect(capitalised(text)).toBe(text);
    }
  });
});
