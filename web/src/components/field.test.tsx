// The field that is wrong is found by the pointer of the problem, the closest one, in the page's order.
import { render, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { firstField, focusField } from "./field";

const page = () =>
  render(
    <>
      <div data-pointer="/hyperpod/instanceGroups">
        <div data-pointer="/hyperpod/instanceGroups/a/zoneId">
          <button type="button">zone</button>
        </div>
        <div data-pointer="/hyperpod/instanceGroups/a">
          <input aria-label="name" aria-invalid="true" />
        </div>
      </div>
      <div data-pointer="/tag">
        <input aria-label="tag" />
      </div>
    </>,
  );

const found = (...pointers: string[]) => firstField(pointers)?.dataset.pointer;

describe("a wrong field", () => {
  it("is the one that the pointer names most closely", () => {
    page();
    expect(found("/hyperpod/instanceGroups/a/zoneId")).toBe("/hyperpod/instanceGroups/a/zoneId");
    expect(found("#/hyperpod/instanceGroups/a/instanceType")).toBe("/hyperpod/instanceGroups/a");
    expect(found("/hyperpod/instanceGroups/b")).toBe("/hyperpod/instanceGroups");
    expect(found("/elsewhere")).toBeUndefined();
  });

  it("is the first on the page of several", () => {
    page();
    expect(found("/tag", "/hyperpod/instanceGroups/a")).toBe("/hyperpod/instanceGroups/a");
  });

  it("gets the focus, on the control that is invalid", async () => {
    page();
    focusField(["/hyperpod/instanceGroups/a"]);
    await waitFor(() => expect(document.activeElement?.getAttribute("aria-label")).toBe("name"));
  });
});
