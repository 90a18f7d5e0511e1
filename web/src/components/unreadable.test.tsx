import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Unreadable } from "./unreadable";

test("records that cannot be read are named", () => {
  render(<Unreadable records={["01KBX (demo): written by a newer release"]} />);
  expect(screen.getByText("01KBX (demo): written by a newer release")).toBeTruthy();
});

test("a list that is whole says nothing", () => {
  const { container } = render(<Unreadable records={[]} />);
  expect(container.textContent).toBe("");
});
