// What this account has already: the lists of what is lacking, and the import of the cluster that works.
import assert from "node:assert/strict";
import { latestSucceeds, read, shows } from "../console.mjs";

export const name = "import";

export async function run({ page, signIn, shot, accessible, settings, made }) {
  const { items } = await read(settings, `/v1/choices/importable-clusters?region=${settings.region}`);
  const fit = items.find(({ hyperpodClusterName }) => hyperpodClusterName);
  assert.ok(fit, "no EKS cluster with HyperPod attached can be imported");
  const lacking = items.find(({ eksClusterName }) => eksClusterName !== fit.eksClusterName);

  await signIn(`/clusters?region=${settings.region}`);
  await page.getByRole("button", { name: `Import ${fit.eksClusterName}` }).waitFor();
  await shot("importable");
  await accessible("the clusters with what can be imported");
  if (lacking) {
    await page.getByRole("button", { name: `Import ${lacking.eksClusterName}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/What was found \(\d+\)/).waitFor();
    await accessible("the import dialog");
    await shot("lacking");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  }

  await page.getByRole("button", { name: `Import ${fit.eksClusterName}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { name: `Import cluster: ${fit.eksClusterName}` }).waitFor();
  await page.getByRole("link", { name: fit.eksClusterName }).first().click();
  await latestSucceeds(settings, fit.eksClusterName);
  await shows(page, "6. Verification: succeeded");
  await shot("imported");
  await shows(page, "Imported");
  await page.getByRole("tab", { name: "Nodes" }).click();
  await page
    .getByText(/[1-9]\d* schedulable/)
    .first()
    .waitFor();
  await shot("nodes");
  made.imported = fit.eksClusterName;
}
