// Takes the pictures of the README and of the pages in light and dark: `npm run pictures`.
// The forecast page is kept in docs/pictures, the others in pictures, to be looked at.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open, start } from "./browser.js";

const ROOT = join(import.meta.dirname, "../..");
const JOBLINT = process.env.JOBLINT ?? join(ROOT, "target/release/joblint");
const LOOKED_AT = join(import.meta.dirname, "pictures");
const KEPT = join(ROOT, "docs/pictures");

/** Pages of the site, with what is opened before the picture is taken. */
const PAGES = [
  ["index", "", async () => {}],
  ["rule", "rules/template-changes-under-fixed-name.html", async () => {}],
  ["rules", "rules/", async (page) => page.getByLabel("Paste an error message").fill("field is immutable")],
  ["matrix", "matrix.html", async (page) => page.getByRole("button", { name: "rejected" }).first().waitFor()],
  [
    "cell",
    "matrix.html",
    async (page) => {
      await page.getByLabel("Deployer", { exact: true }).selectOption("helm4");
      await page.getByRole("button", { name: "rejected" }).first().click();
    },
  ],
  ["playground", "playground.html", async (page) => page.locator("#try .found > li").first().waitFor()],
];

/** The table of one Job as WebP, which Playwright does not write itself. */
async function photograph(context, page, path) {
  const section = page.locator("section", { hasText: "Job shop-migrate" });
  const [around, table] = [await section.boundingBox(), await section.locator(".scroll").boundingBox()];
  const clip = { ...around, height: table.y + table.height + 12 - around.y, scale: 1 };
  const session = await context.newCDPSession(page);
  const picture = { format: "webp", quality: 75, captureBeyondViewport: true, clip };
  const { data } = await session.send("Page.captureScreenshot", picture);
  writeFileSync(path, Buffer.from(data, "base64"));
}

mkdirSync(LOOKED_AT, { recursive: true });
const site = await start();
for (const scheme of ["light", "dark"]) {
  for (const [name, path, prepare] of PAGES) {
    const { page } = await open(site, path, { scheme });
    await prepare(page);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(LOOKED_AT, `${name}-${scheme}.png`) });
    await page.context().close();
  }
  const html = execFileSync(JOBLINT, ["forecast", "examples/charts", "--output", "html", "-q"], { cwd: ROOT });
  const file = join(LOOKED_AT, "forecast.html");
  writeFileSync(file, html);
  const context = await site.browser.newContext({ colorScheme: scheme, viewport: { width: 1080, height: 700 } });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  await photograph(context, page, join(KEPT, `forecast-${scheme}.webp`));
}
await site.stop();
