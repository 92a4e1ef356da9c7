// Takes the pictures of the extension in a real VS Code, in light and dark: `npm run vscode`.
// VSCODE names the folder lib/vscode of the npm package code-server, VSIX the extension for this machine.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { ARGUMENTS, CHROMIUM } from "./browser.js";

const ROOT = join(import.meta.dirname, "../..");
const PORT = 8123;
const VIEW = { width: 1280, height: 560 };
/** The title of the window names the folder of this run. */
const TITLE = 30;
const SETTINGS = {
  "editor.minimap.enabled": false,
  "editor.stickyScroll.enabled": false,
  "window.autoDetectColorScheme": true,
  "workbench.startupEditor": "none",
};

const folder = mkdtempSync(join(tmpdir(), "joblint-"));
const shop = join(folder, "shop");
cpSync(join(ROOT, "examples/charts/shop"), shop, { recursive: true });
execFileSync("unzip", ["-q", process.env.VSIX, "extension/*", "-d", folder]);
cpSync(join(folder, "extension"), join(folder, "extensions/joblint.joblint"), { recursive: true });
mkdirSync(join(folder, "data/Machine"), { recursive: true });
writeFileSync(join(folder, "data/Machine/settings.json"), JSON.stringify(SETTINGS));

const own = ["--host", "127.0.0.1", "--port", PORT, "--without-connection-token", "--accept-server-license-terms"];
const quiet = ["--disable-workspace-trust", "--disable-telemetry"];
const folders = ["--server-data-dir", folder, "--extensions-dir", join(folder, "extensions")];
const server = spawn("node", ["out/server-main.js", ...own, ...folders, ...quiet], { cwd: process.env.VSCODE });
await new Promise((done) => server.stdout.on("data", (text) => String(text).includes("listening") && done()));

/** Runs a command of the palette. */
async function run(page, title) {
  await page.keyboard.press("F1");
  await page.waitForTimeout(1000);
  await page.keyboard.type(title, { delay: 20 });
  await page.waitForTimeout(1500);
  await page.keyboard.press("Enter");
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
for (const scheme of ["light", "dark"]) {
  const context = await browser.newContext({ viewport: VIEW, colorScheme: scheme });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${PORT}/?folder=${shop}`);
  const row = (name) => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
  await row("values.yaml").waitFor();
  if ((await row("warm.yaml").count()) === 0) await row("templates").click();
  await row("warm.yaml").dblclick();
  await page.locator(".codelens-decoration").first().waitFor();
  await run(page, "joblint: Show Rendered Manifests");
  await page.locator(".tab", { hasText: "(rendered)" }).waitFor();
  await page.keyboard.press("Control+B");
  const line = page.locator(".view-line", { hasText: "hook-delete-policy" }).first();
  await line.click();
  await line.locator("span", { hasText: "hook-succeeded" }).last().hover();
  await page.locator(".monaco-hover", { hasText: "stale-hook-blocks" }).first().waitFor();
  await page.waitForTimeout(2000);
  const session = await context.newCDPSession(page);
  const clip = { x: 0, y: TITLE, width: VIEW.width, height: VIEW.height - TITLE, scale: 1 };
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80, clip });
  writeFileSync(join(ROOT, `docs/pictures/vscode-${scheme}.webp`), Buffer.from(data, "base64"));
  await context.close();
}
await browser.close();
server.kill();
rmSync(folder, { recursive: true });
