// Whether a page fits into its window: nothing scrolls sideways but the row of tabs, which has arrows for it.
import assert from "node:assert/strict";

/** Widths at which pages are looked at: a phone, a tablet, two laptops. */
export const WIDTHS = [390, 768, 1280, 1440];

/** What is wider than its place, as the page stands. */
const tooWide = () => {
  const found = [];
  if (document.documentElement.scrollWidth > window.innerWidth) found.push("the page");
  for (const element of document.querySelectorAll("main *")) {
    const scrolls = ["auto", "scroll"].includes(window.getComputedStyle(element).overflowX);
    const isTabs = element.querySelector(':scope > [role="presentation"] [role="tab"], :scope > [role="tab"]') !== null;
    if (scrolls && !isTabs && element.scrollWidth > element.clientWidth + 1) {
      found.push(
        `${element.tagName.toLowerCase()}.${String(element.className).slice(0, 40)}: ${element.scrollWidth} in ${element.clientWidth}`,
      );
    }
  }
  return found;
};

/** The page that is open fits at every width; it is left at the width that it had. */
export async function assertFits(page, what) {
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    // Tables measure themselves and fold what has no room; that takes a frame or two.
    for (let frame = 0; frame < 50 && (await page.evaluate(tooWide)).length > 0; frame += 1) {
      await page.waitForTimeout(100);
    }
    assert.deepEqual(await page.evaluate(tooWide), [], `${what} at ${width} pixels`);
  }
  await page.setViewportSize(before);
}
