// Drives the console of a running product in a real browser and holds it against WCAG, its content security policy and
// its own promises. Starts nothing: the product and its simulated account are started by whoever calls this.
//
//   BASE_URL       where the product answers, http://127.0.0.1:3099
//   TOKEN          the access token of the printed console link
//   ACCOUNT_URL    the simulated account's port; without it the journeys that inject faults are skipped
//   OUTPUT_DIR     where screenshots go; made if it is not there
//   REGION         default us-west-2;  INSTANCE_TYPE default ml.g6.4xlarge;  PATIENCE_SECONDS default 240, for a cluster
//   CHROMIUM       default /usr/bin/chromium
//
// `node run.mjs NAME…` runs only those journeys. Exit 0: all passed. The last line counts.
import { mkdirSync } from "node:fs";
import { openBrowser } from "./browser.mjs";
import * as create from "./journeys/create.mjs";
import * as failedStage from "./journeys/failed-stage.mjs";
import * as importing from "./journeys/import.mjs";
import * as keyboard from "./journeys/keyboard.mjs";
import * as laterDecision from "./journeys/later-decision.mjs";
import * as longLists from "./journeys/long-lists.mjs";
import * as pages from "./journeys/pages.mjs";
import * as signIn from "./journeys/sign-in.mjs";
import * as silence from "./journeys/silence.mjs";

const JOURNEYS = [signIn, create, failedStage, importing, laterDecision, keyboard, silence, longLists, pages];

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const settings = {
  baseUrl: needed("BASE_URL").replace(/\/$/, ""),
  token: needed("TOKEN"),
  accountUrl: process.env.ACCOUNT_URL?.replace(/\/$/, ""),
  outputDir: process.env.OUTPUT_DIR ?? "screenshots",
  region: process.env.REGION ?? "us-west-2",
  instanceType: process.env.INSTANCE_TYPE ?? "ml.g6.4xlarge",
  patience: 1000 * Number(process.env.PATIENCE_SECONDS ?? 240),
  chromium: process.env.CHROMIUM ?? "/usr/bin/chromium",
};

mkdirSync(settings.outputDir, { recursive: true });
const wanted = process.argv.slice(2);
const counts = { passed: 0, failed: 0, skipped: 0 };
const browser = await openBrowser(settings);
// What one journey made (a cluster, an operation) is there for the pages that later ones look at.
const made = {};

for (const journey of JOURNEYS) {
  if (wanted.length > 0 && !wanted.includes(journey.name)) continue;
  const skipped = journey.needs?.(settings);
  if (skipped) {
    counts.skipped += 1;
    console.log(`skipped ${journey.name}: ${skipped}`);
    continue;
  }
  const began = performance.now();
  const visit = await browser.visit(journey.name, journey.expects);
  try {
    await journey.run({ ...visit, settings, made });
    visit.assertQuiet();
    counts.passed += 1;
    console.log(`passed ${journey.name} (${Math.round((performance.now() - began) / 1000)} s)`);
  } catch (error) {
    counts.failed += 1;
    await visit.shot("failed").catch(() => {});
    console.log(`failed ${journey.name}: ${error.stack ?? error}`);
    for (const line of visit.noise()) console.log(`  ${line}`);
  } finally {
    await visit.close();
  }
}

await browser.close();
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || counts.passed + counts.skipped === 0 ? 1 : 0;
