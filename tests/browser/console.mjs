// The console's controls in a user's words, and the API for what a script must know beforehand.
import assert from "node:assert/strict";

/** Chooses an option of a select by its field's label; a long list shows it only once `typed` narrows it. */
export async function choose(page, label, option, { nth = 0, typed = "" } = {}) {
  const trigger = page.getByRole("button", { name: new RegExp(`^${label}\\b`) }).nth(nth);
  await trigger.click();
  await page.keyboard.type(typed);
  await page.getByRole("option", { name: option }).first().click();
}

/** Waits until the page shows a text, while it follows the world by itself. */
export const shows = (page, text, timeout) => page.getByText(text).first().waitFor({ timeout });

/** Waits for one of several texts; answers which. */
export async function showsOneOf(page, texts, timeout) {
  const found = texts.map((text) =>
    page
      .getByText(text)
      .first()
      .waitFor({ timeout })
      .then(() => text),
  );
  return Promise.any(found);
}

/** Reads from the API as the console does. */
export async function read(settings, path) {
  const response = await fetch(settings.baseUrl + path, { headers: { Authorization: `Bearer ${settings.token}` } });
  assert.equal(response.status, 200, `GET ${path}`);
  return response.json();
}

/** Waits until the newest operation of a cluster has ended; answers it. The page follows by itself meanwhile. */
export async function latestEnded(settings, tag) {
  const { items } = await read(settings, `/v1/operations?clusterTag=${encodeURIComponent(tag)}`);
  const path = `/v1/operations/${items[0].operationId}/wait?timeoutSeconds=10`;
  const until = Date.now() + settings.patience;
  for (;;) {
    const operation = await read(settings, path);
    if (operation.done) return operation;
    assert.ok(Date.now() < until, `${operation.kind} of ${tag} goes on: ${operation.summary}`);
  }
}

/** The newest operation of a cluster succeeds. */
export async function latestSucceeds(settings, tag) {
  const operation = await latestEnded(settings, tag);
  const why = operation.failure ? `${operation.failure.code}: ${operation.failure.message}` : operation.summary;
  assert.equal(operation.state, "succeeded", why);
  return operation;
}

/** A zone that offers the instance type. */
export async function zoneFor({ region, instanceType, ...settings }) {
  let cursor = "";
  do {
    const query = new URLSearchParams({ region, limit: "100", ...(cursor ? { cursor } : {}) });
    const list = await read(settings, `/v1/choices/instance-types?${query}`);
    const found = list.items.find((item) => item.instanceType === instanceType);
    if (found) {
      assert.ok(found.zoneIds.length > 0, `${instanceType} is offered in no zone of ${region}`);
      return found.zoneIds[0];
    }
    cursor = list.nextCursor;
  } while (cursor);
  throw new Error(`${instanceType} is no instance type of ${region}`);
}

/** A tag that no earlier run used. */
export const freshTag = (what) => `${what}-${Date.now().toString(36)}`;

/** Fills the wizard up to its plan; `capacity` decides groups now, without it they are decided later. */
export async function fillWizard(page, { tag, region, capacity }) {
  await page.getByLabel("Cluster tag").fill(tag);
  await choose(page, "Region", region);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("radio", { name: /Automatic/ }).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  if (capacity) await fillGroup(page, capacity);
  else await page.getByRole("radio", { name: /Decide later/ }).check();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel(/Prefix/).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("heading", { name: "Plan and create" }).waitFor();
}

/** Fills the first instance group of a form. */
export async function fillGroup(page, { zoneId, instanceType, count }) {
  await choose(page, "Zone", new RegExp(zoneId));
  await choose(page, "Instance type", new RegExp(instanceType.replaceAll(".", "\\.")), { typed: instanceType });
  await page.getByLabel("Instances", { exact: true }).first().fill(String(count));
}

/** Waits for the plan to be there with nothing that blocks. */
export async function planIsReady(page, timeout = 40_000) {
  const verdict = await showsOneOf(page, ["Nothing blocks", "This cannot start yet"], timeout);
  assert.equal(verdict, "Nothing blocks", "the plan's verdict");
}

/** The id of the operation whose page is open. */
export const operationId = (page) => new URL(page.url()).pathname.split("/").at(-1);
