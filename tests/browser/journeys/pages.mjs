// Every page by its address, in light and in dark, without a violation; and the console with the keyboard alone.
import assert from "node:assert/strict";
import { read } from "../console.mjs";
import { assertFits } from "../layout.mjs";

export const name = "pages";
export const expects = [404];

/** Every page with the text that says that it is all there. */
async function addresses(settings, made) {
  const { items: clusters } = await read(settings, "/v1/clusters");
  const { items: operations } = await read(settings, "/v1/operations");
  const tag = made.verified ?? clusters[0]?.tag;
  const all = [
    ["clusters", `/clusters?region=${settings.region}`, "Can be imported"],
    ["create", "/clusters/create", "Cluster tag"],
    ["operations", "/operations", "Asked for by"],
    ["instance-types", `/capacity?region=${settings.region}`, "Quota for HyperPod"],
    ["training-plans", `/capacity?region=${settings.region}&tab=plans`, "Usable"],
    ["health", "/health", "Checks"],
    ["no-page", "/nowhere", "There is no page at this address."],
    ["no-cluster", "/clusters/no-such-cluster", "Not found"],
    ["no-operation", "/operations/01ARZ3NDEKTSV4RRFFQ69G5FAV", "Not found"],
  ];
  for (const { operationId } of operations.slice(0, 2)) {
    all.push([`operation-${operationId.slice(-4)}`, `/operations/${operationId}`, "Timeline"]);
  }
  if (made.failedOperation) all.push(["operation-retried", `/operations/${made.failedOperation}`, "Timeline"]);
  if (!tag) return all;
  const tabs = {
    stages: "1. Control plane",
    nodes: "Group or instance",
    subnets: "Default route",
    operations: "Asked for by",
  };
  tabs.conditions = "Reason";
  tabs.decisions = "Kubernetes version";
  for (const [tab, text] of Object.entries(tabs)) all.push([`cluster-${tab}`, `/clusters/${tag}?tab=${tab}`, text]);
  all.push(["capacity-decided", `/clusters/${tag}/capacity`, "No decision is awaited"]);
  return all;
}

async function withKeyboard(page, open) {
  await open("/clusters");
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (focused.trim() === "Operations") {
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Operations", level: 1 }).waitFor();
      return;
    }
  }
  assert.fail("the navigation cannot be reached with the Tab key");
}

export async function run({ page, signIn, open, shot, appear, accessible, settings, made }) {
  await signIn("/clusters");
  await withKeyboard(page, open);
  const pages = await addresses(settings, made);
  const titles = new Map();
  for (const appearance of ["light", "dark"]) {
    await appear(appearance);
    for (const [what, path, text] of pages) {
      await open(path);
      await page.getByText(text).first().waitFor();
      // Whatever is still being read would change the page under axe.
      await page.waitForLoadState("networkidle").catch(() => {});
      await accessible(`${what} in ${appearance} mode`);
      if (appearance === "light") {
        titles.set(what, await page.title());
        await assertFits(page, what);
      }
      await shot(`${appearance}-${what}`);
    }
  }
  const named = [
    "clusters",
    "create",
    "operations",
    "instance-types",
    "training-plans",
    "health",
    "no-page",
    "no-cluster",
  ];
  const different = new Set(named.map((what) => titles.get(what)));
  assert.equal(different.size, named.length, `the titles of pages: ${[...titles.values()].join("; ")}`);
}
