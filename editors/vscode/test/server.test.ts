// The client code of the extension against the real server: JOBLINT names the command, else PATH has it.
import assert from "node:assert";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  StreamMessageReader,
  StreamMessageWriter,
  createProtocolConnection,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";
import { findBinary } from "../src/binary";
import { RENDERED, lineOf, originOf, type Rendered } from "../src/rendered";

const job = `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      restartPolicy: Always
      containers:
        - name: migrate
          image: "{{ .Values.image }}"
`;

let folder: string;
let connection: ProtocolConnection;
let exit: Promise<number | null>;
const uri = () => pathToFileURL(join(folder, "shop/templates/job.yaml")).toString();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "joblint-"));
  const files = {
    "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "shop/values.yaml": "image: shop:1.0\n",
    "shop/templates/job.yaml": job,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const setting = process.env["JOBLINT"] ?? "";
  const command = findBinary({ setting, folders: [], extension: folder, platform: process.platform });
  const server = spawn(command, ["server"], { stdio: ["pipe", "pipe", "inherit"] });
  exit = new Promise((resolve) => server.on("exit", resolve));
  connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).toString(),
    capabilities: {
      textDocument: { diagnostic: {} },
      workspace: { diagnostics: { refreshSupport: true } },
      experimental: { joblintResults: true },
    },
  });
  await connection.sendNotification("initialized", {});
  const textDocument = { uri: uri(), languageId: "helm", version: 1, text: job };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
});

after(async () => {
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.equal(await exit, 0);
  rmSync(folder, { recursive: true });
});

test("findings of a Helm template", async () => {
  const params = { textDocument: { uri: uri() } };
  const report = await connection.sendRequest<{ items: { code: string }[] }>("textDocument/diagnostic", params);
  assert.ok(report.items.some((item) => item.code === "restart-policy-always"));
});

test("the rendered view and the file lead to each other", async () => {
  const params = { textDocument: { uri: uri() }, position: { line: 7, character: 8 } };
  const rendered = await connection.sendRequest<Rendered>(RENDERED, params);
  const lines = rendered.text.split("\n");
  const line = lineOf(rendered, uri(), 7);
  assert.equal(lines[line ?? -1]?.trim(), "restartPolicy: Always");
  assert.equal(originOf(rendered, line ?? -1)?.range.start.line, 7);
  const image = lines.findIndex((text) => text.includes("image: \"shop:1.0\""));
  assert.ok(rendered.origins[image]?.some((at) => at.uri.endsWith("/values.yaml")));
});

test("the forecast is a page", async () => {
  const params = { command: "joblint.forecast", arguments: [uri()] };
  const page = await connection.sendRequest<{ html: string }>("workspace/executeCommand", params);
  assert.match(page.html, /<html/i);
  assert.match(page.html, /migrate/);
});
