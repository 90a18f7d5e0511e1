// Capacity that is decided after the dependencies: the waiting cluster of the failed-stage journey gets its nodes.
import assert from "node:assert/strict";
import { fillGroup, latestSucceeds, planIsReady, shows, zoneFor } from "../console.mjs";

export const name = "later-decision";
export const needs = ({ accountUrl }) => (accountUrl ? undefined : "it goes on from the journey failed-stage");

export async function run({ page, signIn, shot, accessible, settings, made }) {
  assert.ok(made.failed, "the journey failed-stage made no cluster that waits for its decision");
  const zoneId = await zoneFor(settings);
  await signIn(`/clusters/${made.failed}`);
  await page.getByRole("button", { name: "Decide capacity" }).first().click();
  await fillGroup(page, { zoneId, instanceType: settings.instanceType, count: 1 });
  await page.getByRole("button", { name: "Review the plan" }).click();
  await planIsReady(page);
  await shot("plan");
  await accessible("the decision with its plan");
  await page.getByRole("button", { name: "Create capacity" }).click();
  await page.getByRole("heading", { name: made.failed, exact: true }).waitFor();
  await latestSucceeds(settings, made.failed);
  await shows(page, "6. Verification: succeeded");
  await shot("verified");

  // Stopping needs the name typed; it is looked at here and left.
  await page.getByRole("button", { name: "Stop spending" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Stop spending" });
  assert.ok(await confirm.isDisabled(), "stopping is possible without the name");
  await dialog.getByLabel(/To confirm/).fill(made.failed);
  assert.ok(await confirm.isEnabled(), "stopping is not possible with the name");
  await accessible("the stop dialog");
  await shot("stop");
  await page.keyboard.press("Escape");
}
