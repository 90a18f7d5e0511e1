// Chromium, and what is listened for on every page: policy violations, console errors, exceptions, 5xx, tokens in URLs.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const WIDTH = 1440;
const HEIGHT = 1000;
const TALLEST = 4000;
const PREFERENCES = "hyperpod-instantstart.preferences";

/** Listens on a page; `expects` are HTTP statuses (0: no answer) that the journey brings about on purpose. */
function listen(page, token, expects) {
  const noise = [];
  const seen = { notModified: 0 };
  page.on("pageerror", (error) => noise.push(`exception: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    // 0 stands for no answer at all.
    const text = message.text();
    const status = /net::ERR_/.test(text) ? 0 : Number(/status of (\d{3})/.exec(text)?.[1]);
    if (!expects.includes(status)) noise.push(`console ${message.type()}: ${text}`);
  });
  page.on("request", (request) => {
    if (request.url().includes(token)) noise.push("a request's address holds the token");
  });
  page.on("response", (response) => {
    if (response.status() === 304) seen.notModified += 1;
    if (response.status() >= 500) noise.push(`${response.status()} of ${response.url()}`);
  });
  return { noise, seen };
}

async function watchPolicy(context, noise) {
  await context.exposeBinding("reportPolicyViolation", (_source, text) => noise.push(`policy violation: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      window.reportPolicyViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
}

const told = ({ id, help, nodes }) =>
  `${id} (${help}): ${nodes
    .slice(0, 3)
    .map(({ target, html }) => `${target.join(" ")} ${html.slice(0, 160)}`)
    .join(" | ")}`;

/** No violation of WCAG 2.2 A and AA on the page as it stands. */
async function assertAccessible(page, what) {
  const result = await page.evaluate(
    `${AXE};axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ["violations"] })`,
  );
  assert.deepEqual(result.violations.map(told), [], `accessibility of ${what}`);
}

/** Starts Chromium with an empty profile; answers how to visit the console. */
export async function openBrowser(settings) {
  const profile = mkdtempSync(join(tmpdir(), "browser-journeys-"));
  const browser = await chromium.launch({
    executablePath: settings.chromium,
    args: FLAGS,
    env: { ...process.env, HOME: profile },
  });
  return {
    visit: (name, expects = []) => visit(browser, settings, name, expects),
    close: async () => {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function visit(browser, settings, name, expects) {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: HEIGHT }, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const { noise, seen } = listen(page, settings.token, expects);
  await watchPolicy(context, noise);
  let shots = 0;
  // The window grows to the whole page for a picture; Playwright's own way makes it narrow for a moment, on which the
  // navigation closes.
  const shot = async (what) => {
    shots += 1;
    const file = `${name}-${String(shots).padStart(2, "0")}-${what}.png`;
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: WIDTH, height: Math.min(Math.max(height, HEIGHT), TALLEST) });
    await page.screenshot({ path: join(settings.outputDir, file) });
    await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  };
  /** Shows the page that is open in light or dark mode: as the user's choice, through a reload. */
  const appear = async (appearance) => {
    const kept = JSON.stringify({ appearance, compact: false });
    await page.evaluate(([key, value]) => window.localStorage.setItem(key, value), [PREFERENCES, kept]);
    await page.reload();
  };
  return {
    page,
    seen,
    shot,
    appear,
    accessible: (what) => assertAccessible(page, what),
    noise: () => noise,
    assertQuiet: () => assert.deepEqual(noise, [], "noise on the pages"),
    signIn: async (path = "/clusters") => {
      await page.goto(`${settings.baseUrl}${path}#token=${settings.token}`);
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    },
    open: (path) => page.goto(settings.baseUrl + path),
    close: () => context.close(),
  };
}
