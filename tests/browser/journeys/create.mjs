// From nothing to a verified cluster through the wizard, watched live, then looked at from all its sides.
import assert from "node:assert/strict";
import { fillWizard, freshTag, latestSucceeds, planIsReady, read, shows, zoneFor } from "../console.mjs";

export const name = "create";

export async function run({ page, signIn, shot, accessible, seen, settings, made }) {
  const tag = freshTag("created");
  const zoneId = await zoneFor(settings);
  await signIn("/clusters");
  await page
    .getByRole("link", { name: "Create cluster" })
    .or(page.getByRole("button", { name: "Create cluster" }))
    .first()
    .click();
  // What the form can know is said before anything is sent.
  await page.getByRole("button", { name: "Next" }).click();
  await shows(page, "Choose a Region.");
  await accessible("the wizard with errors");
  await fillWizard(page, {
    tag,
    region: settings.region,
    capacity: { zoneId, instanceType: settings.instanceType, count: 1 },
  });
  await planIsReady(page);
  for (const heading of ["Cost:", "Capacity", "Stages", "What is used and what is fixed"]) {
    await page.getByRole("heading", { name: heading }).first().waitFor();
  }
  await shot("plan");
  await accessible("the plan page");
  await page.goBack();
  await page.getByLabel(/Prefix/).waitFor();
  await page.goForward();
  await planIsReady(page);
  await page.getByRole("button", { name: "Create cluster" }).click();

  await page.getByRole("heading", { name: tag, exact: true }).waitFor();
  await shows(page, /^\d\. .*: running$/, 30_000);
  await shot("running");
  await latestSucceeds(settings, tag);
  await shows(page, "6. Verification: succeeded");
  await shot("verified");
  const cluster = await read(settings, `/v1/clusters/${tag}`);
  assert.deepEqual(
    cluster.stages.map(({ state }) => state),
    Array(6).fill("succeeded"),
  );
  assert.ok(seen.notModified > 0, "nothing was answered 304: the ETag is not used");

  await page.getByRole("tab", { name: "Nodes" }).click();
  await page.getByText("1 of 1 wanted running, 1 schedulable").first().waitFor();
  await shot("nodes");
  await page.getByRole("tab", { name: "Operations" }).click();
  await page.getByRole("link", { name: new RegExp(`Create cluster of ${tag}`) }).click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  await page
    .getByText(/^1\. .*: (applied|answer lost, found done)$/)
    .first()
    .waitFor();
  await shot("operation");
  made.verified = tag;
}
