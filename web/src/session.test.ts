// The token leaves the address bar before anything is drawn, and is kept for the tab alone.
import { describe, expect, it } from "vitest";
import { signedOutReason, signOut, takeTokenFromFragment, token } from "./session";

describe("the printed link", () => {
  it("signs in and leaves no token in the address", () => {
    window.history.replaceState(null, "", "/clusters?region=us-west-2#token=secret-1");
    takeTokenFromFragment();
    expect(token()).toBe("secret-1");
    expect(window.location.href).not.toContain("secret-1");
    expect(window.location.pathname + window.location.search).toBe("/clusters?region=us-west-2");
    expect(JSON.stringify(window.localStorage)).not.toContain("secret-1");
  });

  it("without a token changes nothing", () => {
    window.history.replaceState(null, "", "/clusters#importable");
    takeTokenFromFragment();
    expect([token(), window.location.hash]).toEqual(["", "#importable"]);
  });
});

describe("signing out", () => {
  it("forgets the token and keeps the reason", () => {
    window.history.replaceState(null, "", "/#token=secret-2");
    takeTokenFromFragment();
    signOut("It has ended.");
    expect([token(), signedOutReason()]).toEqual(["", "It has ended."]);
  });
});
