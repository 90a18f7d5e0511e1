// Who is signed in: an access token for this tab, kept in sessionStorage and sent as a header only.
//
// It arrives in the fragment of the printed link, which browsers send to no server, and leaves the address bar before
// anything is drawn. It is never put into a URL, a log or localStorage.

const KEY = "hyperpod-instantstart.token";
let reason = "";
const listeners = new Set<() => void>();

const tell = () => listeners.forEach((listener) => listener());

/** Takes `#token=…` out of the address bar, if it is there, and signs in with it. */
export function takeTokenFromFragment(location: Location = window.location): void {
  const given = new URLSearchParams(location.hash.replace(/^#/, "")).get("token");
  if (!given) return;
  window.history.replaceState(window.history.state, "", location.pathname + location.search);
  signIn(given);
}

/** The token, or an empty string. */
export const token = (): string => window.sessionStorage.getItem(KEY) ?? "";

/** Why the sign-in page is shown, if it was not asked for. */
export const signedOutReason = (): string => reason;

/** Keeps a token for this tab. */
export function signIn(given: string): void {
  reason = "";
  window.sessionStorage.setItem(KEY, given.trim());
  tell();
}

/** Forgets the token and says why. */
export function signOut(why = ""): void {
  reason = why;
  window.sessionStorage.removeItem(KEY);
  tell();
}

/** Calls back after every sign-in and sign-out; answers how to stop that. */
export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
