// A page that fails leaves the frame standing, and another page is another try.
import { render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Boundary } from "./boundary";

function Broken(): never {
  throw new Error("no such member");
}

describe("a page that cannot be drawn", () => {
  it("is told, and the next page is drawn", () => {
    const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
    const { rerender } = render(
      <Boundary page="/a">
        <Broken />
      </Boundary>,
    );
    expect(screen.getByText("This page cannot be shown")).toBeTruthy();
    rerender(
      <Boundary page="/b">
        <p>Another page</p>
      </Boundary>,
    );
    expect(screen.getByText("Another page")).toBeTruthy();
    silenced.mockRestore();
  });
});
