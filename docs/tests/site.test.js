// The site in a real browser; `README.md` says how to run it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, start } from "./browser.js";

let site;
before(async () => (site = await start()));
after(() => site.stop());

/** Waits until the playground has answered once more than before. */
const answered = (page, runs) =>
  page.waitForFunction((runs) => Number(document.getElementById("try").dataset.runs) >= runs, runs);
const runs = (page) => page.evaluate(() => Number(document.getElementById("try").dataset.runs ?? 0));

/** The contrast of an element's text with what is behind it, as WCAG defines it. */
const contrast = (locator) =>
  locator.evaluate((element) => {
    const parse = (color) => color.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => {
      const part = (value) => ((value /= 255), value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    let behind = element;
    const isClear = (one) => parse(getComputedStyle(one).backgroundColor)[3] === 0;
    while (isClear(behind) && behind.parentElement) behind = behind.parentElement;
    const [text, page] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map((color) => luminance(parse(color)));
    return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
  });

test("a pasted error finds the rules that predict it", async () => {
  const { page, problems } = await open(site, "rules/");
  const error = 'Error: UPGRADE FAILED: cannot patch "shop-migrate" with kind Job: Job.batch "shop-migrate" is invalid: spec.template: Invalid value: field is immutable';
  await page.getByLabel("Paste an error message").fill(error);
  const link = page.locator("#rule-search a", { hasText: "template-changes-under-fixed-name" });
  await link.click();
  await page.waitForURL(/template-changes-under-fixed-name/);
  await page.getByRole("heading", { name: "What you may see" }).waitFor();
  assert.deepEqual(problems, []);
});

test("the search of the site finds a rule by an error", async () => {
  const { page, problems } = await open(site, "");
  await page.keyboard.press("s");
  // The index is loaded when the search is opened.
  await page.waitForLoadState("networkidle");
  await page.locator("#mdbook-searchbar").pressSequentially("jobs.batch already exists");
  const results = page.locator("#mdbook-searchresults");
  await results.locator("a[href*='rules/']").first().waitFor();
  assert.deepEqual(problems, []);
});

test("the address that findings print is a page", async () => {
  const { page } = await open(site, "rules/missing-ttl");
  assert.equal(await page.locator("main h1").first().textContent(), "missing-ttl");
});

test("an example of a rule opens in the playground", async () => {
  const { page, problems } = await open(site, "rules/restart-policy-always.html");
  await page.getByRole("link", { name: "Open in the playground" }).first().click();
  await page.waitForURL(/playground\.html#p=/);
  await page.locator("#try .found .is-error", { hasText: "restartPolicy" }).waitFor();
  assert.deepEqual(problems, []);
});

test("the matrix is filtered to a cell, which says what the tool said", async () => {
  const { page, problems } = await open(site, "matrix.html");
  await page.getByLabel("Job", { exact: true }).selectOption("chart version in the pod's labels");
  await page.getByLabel("Deployer").selectOption("helm4");
  await page.getByLabel("Event").selectOption("upgrade");
  const cell = page.getByRole("button", { name: "rejected" }).first();
  await cell.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("field is immutable").waitFor();
  assert.match(await dialog.textContent(), /helm\.sh\/helm\/v4 v4\.\d+\.\d+, API server v1\./);
  const address = page.url();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assert.deepEqual(problems, []);
  const linked = await open(site, address.replace(`${site.address}/`, ""));
  await linked.page.getByRole("dialog").getByText("field is immutable").waitFor();
});

test("the matrix is searched by what a tool said", async () => {
  const { page } = await open(site, "matrix.html");
  await page.getByLabel("Job", { exact: true }).selectOption("");
  await page.getByLabel("Text").fill("cannot use server-side apply and force replace together");
  await page.getByRole("button", { name: "rejected" }).first().waitFor();
  assert.match(await page.locator("#matrix [data-part=count]").textContent(), /^\d+ of \d{4} observed cells/);
});

test("the playground shows a finding and fixes it", async () => {
  const { page, problems } = await open(site, "playground.html");
  await answered(page, 1);
  await page.getByLabel("Example").selectOption({ label: "Manifests with a Job, a CronJob and a hook" });
  const finding = page.locator("#try .found > li", { hasText: "restart-policy-always" });
  await finding.waitFor();
  await finding.getByRole("button", { name: /migrate\.yaml:\d+/ }).first().click();
  const text = page.locator("#try textarea");
  assert.equal(await text.evaluate((own) => own.value.slice(own.selectionStart, own.selectionEnd)), "spec");
  await finding.getByRole("button", { name: /^Fix:/ }).first().click();
  await finding.waitFor({ state: "detached" });
  assert.match(await text.inputValue(), /restartPolicy: (Never|OnFailure)/);
  await page.getByRole("button", { name: "Undo the fix" }).click();
  await finding.waitFor();
  assert.doesNotMatch(await text.inputValue(), /restartPolicy/);
  assert.deepEqual(problems, []);
});

test("the forecast follows the deployers", async () => {
  const { page } = await open(site, "playground.html");
  await answered(page, 1);
  const heads = () => page.locator("#try .forecast thead").first().textContent();
  assert.match(await heads(), /helm3.*helm4/);
  const before = await runs(page);
  await page.getByLabel("Helm 3").uncheck();
  await answered(page, before + 1);
  assert.doesNotMatch(await heads(), /helm3/);
  await page.getByLabel("with options").fill("kubectl:mode=replace");
  await page.keyboard.press("Enter");
  await answered(page, before + 2);
  assert.match(await heads(), /kubectlmode=replace/);
});

test("a link shares files and deployers", async () => {
  const { page } = await open(site, "playground.html");
  await answered(page, 1);
  await page.locator("#try textarea").fill("apiVersion: batch/v1\nkind: Job\nmetadata: {name: ünïcode}\n");
  await page.getByRole("button", { name: "Share a link" }).click();
  await page.getByRole("button", { name: "Link copied" }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const shared = await open(site, link.replace(`${site.address}/`, ""));
  await answered(shared.page, 1);
  assert.match(await shared.page.locator("#try textarea").inputValue(), /ünïcode/);
});

test("a broken link and broken YAML are survived", async () => {
  const { page, problems } = await open(site, "playground.html#p=broken");
  await answered(page, 1);
  const before = await runs(page);
  await page.locator("#try textarea").fill("a: [b\n\t- c");
  await answered(page, before + 1);
  assert.notEqual(await page.locator("#try [data-part=status]").textContent(), "Checking …");
  assert.deepEqual(problems, []);
});

test("the keyboard is enough", async () => {
  const { page } = await open(site, "playground.html");
  await answered(page, 1);
  const text = page.locator("#try textarea");
  await text.focus();
  const before = await text.inputValue();
  await page.keyboard.press("Tab");
  assert.equal((await text.inputValue()).length, before.length + 2);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  const focused = page.locator(":focus");
  assert.equal(await focused.evaluate((element) => element.tagName), "BUTTON");
  await text.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("s");
  assert.match(page.url(), /playground\.html$/);
  await page.locator("#try [role=tab]").first().focus();
  const selected = () => page.locator("#try [role=tab][aria-selected=true]").textContent();
  const first = await selected();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await selected(), first);
});

for (const scheme of ["light", "dark"]) {
  test(`the colours can be read: ${scheme}`, async () => {
    const { page } = await open(site, "playground.html", { scheme });
    await answered(page, 1);
    for (const selector of ["td.bad", "td.runs", ".found li.is-error b", ".status", ".fix"]) {
      const ratio = await contrast(page.locator(`#try ${selector}`).first());
      assert.ok(ratio >= 4.5, `${selector}: ${ratio.toFixed(2)}`);
    }
    const matrix = await open(site, "matrix.html", { scheme });
    for (const selector of ["td.bad button", "td.runs button", "td.quiet button"]) {
      const ratio = await contrast(matrix.page.locator(`#matrix ${selector}`).first());
      assert.ok(ratio >= 4.5, `${selector}: ${ratio.toFixed(2)}`);
    }
  });
}

test("the columns of a forecast stay below each other", async () => {
  const { page, problems } = await open(site, "");
  const left = (text) => page.locator("pre code", { hasText: "Job shop-migrate" }).evaluate((code, text) => {
    const found = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (found.nextNode()) if (found.currentNode.data.includes(text)) break;
    const range = document.createRange();
    const start = found.currentNode.data.indexOf(text);
    range.setStart(found.currentNode, start);
    range.setEnd(found.currentNode, start + text.length);
    return range.getBoundingClientRect().left;
  }, text);
  assert.ok(Math.abs((await left("kubectl")) - (await left("LEFT-BEHIND"))) < 3);
  assert.deepEqual(problems, []);
});

test("narrow screens do not scroll sideways", async () => {
  for (const path of ["playground.html", "matrix.html", "rules/", "rules/missing-ttl.html"]) {
    const { page } = await open(site, path, { viewport: { width: 390, height: 800 } });
    await page.waitForLoadState("networkidle");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${path}: ${wide} px`);
  }
});

test("the first finding comes soon", async () => {
  const started = performance.now();
  const { page } = await open(site, "playground.html");
  await page.locator("#try .found > li").first().waitFor();
  const seconds = (performance.now() - started) / 1000;
  console.log(`from open to the first finding: ${seconds.toFixed(2)} s`);
  assert.ok(seconds < 10, `${seconds} s`);
});
