// A stage that AWS refuses: told with AWS's own words, retried from the operation's page, and done with nothing twice.
import assert from "node:assert/strict";
import { switchOff, switchOn } from "../account.mjs";
import { fillWizard, freshTag, latestSucceeds, operationId, planIsReady, shows } from "../console.mjs";
import { assertFits } from "../layout.mjs";

export const name = "failed-stage";
export const needs = ({ accountUrl }) =>
  accountUrl ? undefined : "ACCOUNT_URL is not set, so no fault can be injected";

const FAULT = {
  name: "browser-eks-limit",
  service: "eks",
  action: "CreateCluster",
  effect: {
    kind: "error",
    code: "ResourceLimitExceededException",
    status: 400,
    message: "The maximum number of clusters has been reached.",
  },
};

export async function run({ page, signIn, shot, accessible, settings, made }) {
  const tag = freshTag("failed");
  await switchOn(settings, FAULT);
  try {
    await signIn("/clusters/create");
    await fillWizard(page, { tag, region: settings.region });
    await planIsReady(page);
    await page.getByRole("button", { name: "Create cluster" }).click();
    await shows(page, "1. Control plane: failed", settings.patience);
  } finally {
    await switchOff(settings, FAULT.name);
  }
  await shows(page, "ResourceLimitExceededException");
  for (const told of [
    "Cause:",
    "AWS code:",
    "What to do:",
    "What was done:",
    "What is left:",
    "(billed by the hour)",
  ]) {
    await shows(page, told);
  }
  await page.getByRole("button", { name: "Copy the request id" }).first().waitFor();
  await page.getByRole("button", { name: "Retry", exact: true }).waitFor();
  await shows(page, `Create cluster: ${tag}: failed`);
  await page.getByRole("button", { name: "Run again: Control plane" }).waitFor();
  await shot("failed-stage");
  await accessible("a cluster with a failed stage");
  await assertFits(page, "a cluster with a failed stage");
  made.failed = tag;

  await page.getByRole("tab", { name: "Operations" }).click();
  await page.getByRole("link", { name: new RegExp(`Create cluster of ${tag}`) }).click();
  await page.getByText("Failed in Control plane").waitFor();
  await assertFits(page, "a failed operation");
  const id = operationId(page);
  made.failedOperation = id;
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/nothing is made twice/).waitFor();
  await accessible("the retry dialog");
  await shot("retry");
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await shows(page, new RegExp(`Create cluster: ${tag}: (accepted|running|awaiting your decision)`));

  await page.getByRole("link", { name: tag }).first().click();
  const retried = await latestSucceeds(settings, tag);
  assert.deepEqual([retried.operationId, retried.attempt], [id, 2]);
  await shows(page, "4. HyperPod: awaiting your decision");
  await shot("retried");

  // A stage that is done can be run again alone, and finds nothing to do.
  await page.getByRole("button", { name: "Run again: Control plane" }).click();
  await shows(page, new RegExp(`Run stage: ${tag}: (accepted|running|succeeded)`));
  const again = await latestSucceeds(settings, tag);
  assert.deepEqual([again.kind, again.changes], ["run_stage", 0]);
  await shows(page, `Run stage: ${tag}: succeeded`);
  await page.getByRole("button", { name: "Run again: Control plane" }).waitFor();
}
