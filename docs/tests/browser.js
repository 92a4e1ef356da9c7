// A browser on the built site: serves its folder, opens pages, and notes errors and requests to other hosts.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { chromium } from "playwright-core";

const SITE = resolve(process.env.SITE ?? join(import.meta.dirname, "../../target/site"));
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
};
// As root, and where the machine has no network.
export const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Serves the site as its host does: `rules/missing-ttl` is `rules/missing-ttl.html`. */
async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://site").pathname));
    const name = path.endsWith("/") ? `${path}index.html` : extname(path) ? path : `${path}.html`;
    try {
      const body = await readFile(join(SITE, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** Starts the server and the browser. */
export async function start() {
  const server = await serve();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  const address = `http://127.0.0.1:${server.address().port}`;
  const stop = async () => {
    await browser.close();
    server.close();
  };
  return { browser, address, stop };
}

/** A page in a colour scheme. `problems` collects errors in the console and requests to other hosts. */
export async function open({ browser, address }, path, { scheme = "light", ...options } = {}) {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width: 1440, height: 1000 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:") && !url.startsWith("blob:")) problems.push(url);
  });
  await page.goto(`${address}/${path}`);
  return { page, problems };
}
