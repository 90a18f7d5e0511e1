// The printed link signs in and leaves no token behind; a wrong token leads back with the reason.
import assert from "node:assert/strict";

export const name = "sign-in";
export const expects = [401];

export async function run({ page, signIn, open, shot, accessible, settings }) {
  await open("/clusters");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await accessible("the sign-in page");
  await page.getByLabel("Access token").fill("not-a-token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("You were signed out").waitFor();
  await shot("refused");
  await page.getByLabel("Access token").fill(settings.token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Clusters", exact: true }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.equal(await page.evaluate(() => window.sessionStorage.getItem("hyperpod-instantstart.token")), null);

  await signIn("/operations");
  assert.equal(new URL(page.url()).hash, "", "the token stays in the address");
  assert.equal(new URL(page.url()).pathname, "/operations", "the deep link is kept");
  const kept = await page.evaluate(() => JSON.stringify(window.localStorage));
  assert.ok(!kept.includes(settings.token), "the token is in localStorage");
}
