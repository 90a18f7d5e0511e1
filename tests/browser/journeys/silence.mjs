// The control plane falls silent while the console is open: that is said, what is shown is marked as stale, and all of it
// mends itself once something answers. A slow answer is waited for in words.
import { shows } from "../console.mjs";

export const name = "silence";
export const expects = [0];

const API = "**/v1/**";
const BANNER = "The control plane does not answer";

async function silent(page, shot, accessible) {
  const banner = page.getByText(BANNER);
  await page.route(API, (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Refresh the clusters" }).click();
  await banner.first().waitFor();
  await shows(page, /Stale: read at/);
  await page.getByRole("heading", { name: "Managed clusters" }).waitFor();
  await accessible("a page while nothing answers");
  await shot("stale");

  // A page that was not read before has nothing to show but why, and a way to ask again.
  await page.getByRole("link", { name: "Operations", exact: true }).click();
  await page.getByRole("heading", { name: "Operations", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await accessible("a page that could not be read");
  await shot("unread");

  await page.unroute(API);
  await banner.first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: "Asked for by" }).waitFor();
}

async function slow(page, open, shot, accessible) {
  let release = () => {};
  const released = new Promise((resolve) => (release = resolve));
  await page.route("**/v1/clusters?*", async (route) => {
    await released;
    await route.continue();
  });
  await open("/clusters");
  await shows(page, "Loading clusters");
  await accessible("a page that is being read");
  await shot("loading");
  release();
  await page.getByRole("grid").getByText("Loading clusters").waitFor({ state: "detached" });
}

export async function run({ page, signIn, open, shot, accessible }) {
  await signIn("/clusters");
  await page.getByRole("heading", { name: "Managed clusters" }).waitFor();
  await page.waitForLoadState("networkidle");
  await silent(page, shot, accessible);
  await slow(page, open, shot, accessible);
}
