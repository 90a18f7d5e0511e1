// From nothing to a failed stage and its retry with the keyboard alone: no pointer is moved, the focus is always seen, and
// a dialog holds it until it is closed, then gives it back.
import assert from "node:assert/strict";
import { switchOff, switchOn } from "../account.mjs";
import { freshTag, latestSucceeds, planIsReady, shows } from "../console.mjs";

export const name = "keyboard";
export const needs = ({ accountUrl }) =>
  accountUrl ? undefined : "ACCOUNT_URL is not set, so no fault can be injected";

const FAULT = {
  name: "keyboard-vpc-limit",
  service: "ec2",
  action: "CreateVpc",
  effect: {
    kind: "error",
    code: "VpcLimitExceeded",
    status: 400,
    message: "The maximum number of VPCs has been reached.",
  },
};

const PRESSES_AT_MOST = 80;

/** What has the focus: its name as it is read, and whether a ring shows it. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const labels = [...(element.labels ?? [])].map((label) => label.textContent);
    const by = (element.getAttribute("aria-labelledby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent);
    return {
      name: [element.getAttribute("aria-label"), ...labels, ...by, element.textContent]
        .filter(Boolean)
        .join(" ")
        .trim(),
      isSeen: element.matches(":focus-visible"),
      isInDialog: element.closest('[role="dialog"]') !== null,
    };
  });

/** Presses Tab until what has the focus has this name. */
async function tabTo(page, wanted) {
  const passed = [];
  for (let presses = 0; presses < PRESSES_AT_MOST; presses += 1) {
    await page.keyboard.press("Tab");
    const at = await focused(page);
    if (wanted.test(at.name)) {
      assert.ok(at.isSeen, `the focus on ${at.name} is not seen`);
      return;
    }
    passed.push(at.name.slice(0, 30));
  }
  assert.fail(`${wanted} cannot be reached with the Tab key; passed ${passed.join(", ")}`);
}

async function press(page, wanted, key = "Enter") {
  await tabTo(page, wanted);
  await page.keyboard.press(key);
}

async function wizard(page, tag, region) {
  await press(page, /^Create cluster$/);
  await page.getByRole("heading", { name: "Name and place" }).waitFor();
  await press(page, /^Next$/);
  // The focus is on what is wrong first.
  await page.waitForFunction(() => document.activeElement?.matches('[data-pointer="/tag"] input'));
  await page.keyboard.type(tag);
  await press(page, /^Region/);
  await page.getByRole("option", { name: region }).first().waitFor();
  await page.keyboard.type(region);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await press(page, /^Next$/);
  await page.getByRole("heading", { name: "Network", exact: true }).first().waitFor();
  await press(page, /^Next$/);
  await tabTo(page, /Decide now/);
  await page.keyboard.press("ArrowDown");
  await press(page, /^Next$/);
  await page.getByLabel(/Prefix/).waitFor();
  await press(page, /^Next$/);
  await planIsReady(page);
  await press(page, /^Create cluster$/);
}

async function retry(page, accessible) {
  await press(page, /^Retry$/);
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await accessible("the retry dialog of a cluster");
  for (let presses = 0; presses < 8; presses += 1) {
    await page.keyboard.press("Tab");
    const at = await focused(page);
    assert.ok(at.isInDialog, `the focus leaves the dialog for ${at.name}`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.match((await focused(page)).name, /^Retry$/, "the focus is not given back");
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await press(page, /^Retry$/);
  await dialog.waitFor({ state: "hidden" });
}

export async function run({ page, signIn, shot, accessible, settings }) {
  const tag = freshTag("keys");
  await switchOn(settings, FAULT);
  try {
    await signIn("/clusters");
    await page.getByRole("heading", { name: "Managed clusters" }).waitFor();
    await wizard(page, tag, settings.region);
    await shows(page, "Control plane failed: what to do next", settings.patience);
  } finally {
    await switchOff(settings, FAULT.name);
  }
  await shot("failed");
  await retry(page, accessible);
  await latestSucceeds(settings, tag);
  await shows(page, "4. HyperPod: awaiting your decision");
  await shows(page, `Create cluster: ${tag}: awaiting your decision`);
  await shot("retried");
}
