// From nothing to a verified cluster through the wizard, watched live, then looked at from all its sides.
import assert from "node:assert/strict";
import { fillWizard, freshTag, latestSucceeds, planIsReady, read, shows, zoneFor } from "../console.mjs";
import { assertFits } from "../layout.mjs";

export const name = "create";

/** Headings stand below each other in this order. */
async function assertOrder(page, headings) {
  const tops = [];
  for (const name of headings) tops.push((await page.getByRole("heading", { name }).first().boundingBox()).y);
  assert.deepEqual(
    tops.toSorted((a, b) => a - b),
    tops,
    headings.join(", "),
  );
}

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
  await page.waitForFunction(() => document.activeElement?.closest("[data-pointer]")?.dataset.pointer === "/tag");
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
  await assertOrder(page, ["Cost:", "Capacity", "Stages", "What is used and what is fixed"]);
  await shot("plan");
  await accessible("the plan page");
  await assertFits(page, "the plan page");
  await page.goBack();
  await page.getByLabel(/Prefix/).waitFor();
  await page.goForward();
  await planIsReady(page);
  await page.getByRole("button", { name: "Create cluster" }).click();

  await page.getByRole("heading", { name: tag, exact: true }).waitFor();
  await shows(page, /^\d\. .*: running$/, settings.patience);
  await page.getByText(`Create cluster: ${tag}: running`).first().waitFor();
  await shot("running");
  await accessible("a cluster that is being made");
  await latestSucceeds(settings, tag);
  await shows(page, "6. Verification: succeeded");
  // The message follows its operation to the end, leads to it, and goes when it is told to.
  await page.getByText(`Create cluster: ${tag}: succeeded`).first().waitFor();
  await page.getByRole("link", { name: "Show the operation" }).waitFor();
  await shot("verified");
  await page.getByRole("button", { name: `Dismiss the message about Create cluster: ${tag}` }).click();
  await page.getByText(`Create cluster: ${tag}`).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Details of Verification" }).click();
  await shows(page, /\d+ of \d+ checks passed\./);
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
  await page.getByRole("button", { name: /^Show \d+ more/ }).click();
  await page
    .getByText(/^1\. .*: (applied|answer lost, found done)$/)
    .first()
    .waitFor();
  await shot("operation");
  made.verified = tag;
}
