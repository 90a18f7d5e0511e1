// An operation with 200 changes and a list of 300 operations, given to the console in the API's own shapes: they stay
// usable, an answer that says nothing new moves nothing, and a hidden page asks for nothing.
import assert from "node:assert/strict";
import { read, shows } from "../console.mjs";
import { assertFits } from "../layout.mjs";

export const name = "long-lists";

const CHANGES = 200;
const OPERATIONS = 300;

const idOf = (number) => `01J9ZB3V5K8M2N4P6Q7R${String(number).padStart(6, "0")}`;

/** Answers with a page of `all`, with an ETag that is honoured. */
function pageOf(route, all) {
  const query = new URL(route.request().url()).searchParams;
  const from = Number(query.get("cursor") ?? 0);
  const to = from + Number(query.get("limit") ?? 20);
  const body = { items: all.slice(from, to), ...(to < all.length ? { nextCursor: String(to) } : {}) };
  return answer(route, body, `"${from}-${all.length}"`);
}

function answer(route, body, etag) {
  if (route.request().headers()["if-none-match"] === etag)
    return route.fulfill({ status: 304, headers: { ETag: etag } });
  return route.fulfill({ json: body, headers: { ETag: etag } });
}

const entry = (like, sequence) => ({
  ...like,
  sequence,
  change: `change-${sequence}`,
  title: `change number ${sequence}`,
});

export async function run({ page, signIn, open, shot, accessible, settings }) {
  const { items } = await read(settings, "/v1/operations?limit=100");
  const like = items.find(({ state, changes }) => state === "succeeded" && changes > 0);
  assert.ok(like, "no operation has succeeded that others could be made like");
  const journal = await read(settings, `/v1/operations/${like.operationId}/journal?limit=1`);
  const operations = Array.from({ length: OPERATIONS }, (_, index) => ({ ...like, operationId: idOf(index) }));
  const running = {
    ...like,
    operationId: idOf(0),
    state: "running",
    done: false,
    outcome: undefined,
    finishedAt: undefined,
  };
  let entries = Array.from({ length: CHANGES }, (_, index) => entry(journal.items[0], index + 1));
  let asked = 0;

  await page.clock.install();
  await page.route(/\/v1\/operations(\?|$)/, (route) => pageOf(route, operations));
  await page.route(`**/v1/operations/${idOf(0)}`, (route) => answer(route, running, '"running"'));
  await page.route(`**/v1/operations/${idOf(0)}/journal*`, (route) => {
    asked += 1;
    return pageOf(route, entries);
  });

  await signIn("/operations");
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByRole("link", { name: new RegExp(idOf(20)) }).waitFor();
  await assertFits(page, "a page of 300 operations");
  await accessible("a page of 300 operations");

  await open(`/operations/${idOf(0)}`);
  await shows(page, `${CHANGES}. Change number ${CHANGES}`);
  assert.equal(await page.getByText(/^\d+\. Change number/).count(), 50);
  await page.getByRole("button", { name: "Show 50 more of 150" }).click();
  await page.getByText(/^101\. Change number/).waitFor();
  await accessible("a journal of 200 changes");
  await shot("journal");

  // Unchanged answers: nothing is drawn anew, and the page stays where it was scrolled to.
  await page.getByText(/^120\. Change number/).scrollIntoViewIfNeeded();
  const at = () =>
    page.getByText(/^120\. Change number/).evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const before = await at();
  await page.evaluate(() => {
    window.drawn = 0;
    new MutationObserver((changes) => (window.drawn += changes.length)).observe(
      document.querySelector('[aria-label^="Journal, changes"]').parentElement.parentElement,
      { childList: true, subtree: true },
    );
  });
  await follows(page, () => asked, 3);
  assert.equal(
    await page.evaluate(() => window.drawn),
    0,
    "the journal is drawn anew for answers that say nothing new",
  );
  assert.equal(await at(), before, "the page moves while it is read");

  // New changes come on top of the list, and what is being read stays where it is.
  entries = [...entries, entry(entries[0], CHANGES + 1)];
  await page
    .getByText(`All (${CHANGES + 1})`)
    .first()
    .waitFor({ state: "attached" });
  assert.ok(Math.abs((await at()) - before) <= 2, "the page jumps when a change is added");

  await hide(page, true);
  const resting = asked;
  await page.clock.fastForward(60_000);
  assert.equal(asked, resting, "a hidden page asks");
  await hide(page, false);
  await follows(page, () => asked, 1);
}

/** Lets time pass until the page has asked so many times more. */
async function follows(page, count, times) {
  for (let goal = count() + times, tries = 0; count() < goal; tries += 1) {
    assert.ok(tries < 100, "the page does not ask");
    const asks = page.waitForResponse(/journal/, { timeout: 3_000 }).catch(() => {});
    await page.clock.fastForward(2_500);
    await asks;
  }
}

const hide = (page, hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
