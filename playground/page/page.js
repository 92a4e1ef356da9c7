// The playground: files on the left, what joblint says about them on the right. Nothing leaves the browser.

import { findings } from "./findings.js";
import { forecasts } from "./forecast.js";
import * as link from "./link.js";
import { edited, element, offset } from "./text.js";

/** A run that takes longer is stopped, in milliseconds. */
const PATIENCE = 20_000;
/** How long the page waits after a keystroke, in milliseconds. */
const PAUSE = 300;
/** Larger files of an opened folder are left out, in bytes. */
const LARGEST = 1 << 20;

const root = document.getElementById("try");
const part = (name) => root.querySelector(`[data-part=${name}]`);
const [text, tabs, status] = [part("text"), part("tabs"), part("status")];
const tools = [...root.querySelectorAll("[name=deployer]")];

const rulePage = (rule) => `rules/${rule}.html`;
const factPage = (address) => new URL(address).pathname.slice(1) + ".html" + new URL(address).hash;

let files = {};
let open = "";
let run = { id: 0 };
/** The state before the last fix. */
let before;

/** What a link shares. */
const state = () => ({ files, deployers: deployers() });

function deployers() {
  const options = part("options").value.split(/\s+/).filter(Boolean);
  const named = options.map((option) => option.split(":")[0]);
  return [...tools.filter((box) => box.checked && !named.includes(box.value)).map((box) => box.value), ...options];
}

function load(next) {
  files = { ...next.files };
  part("undo").hidden = true;
  for (const box of tools) box.checked = next.deployers.includes(box.value);
  const names = tools.map((box) => box.value);
  part("options").value = next.deployers.filter((one) => !names.includes(one)).join(" ");
  select(Object.keys(files)[0]);
  check();
  run.isNew = true;
}

// The editor.

function select(path) {
  open = path;
  text.value = files[path] ?? "";
  text.setAttribute("aria-label", path);
  drawTabs();
  drawGutter();
}

function drawTabs() {
  const worst = (path) => (run.worst?.has(path) ? `is-${run.worst.get(path)}` : undefined);
  const tab = (path) =>
    element(
      "button",
      { role: "tab", "aria-selected": String(path === open), class: worst(path), onclick: () => select(path) },
      path,
    );
  tabs.replaceChildren(...Object.keys(files).map(tab));
}

/** Line numbers; the lines of findings have the colour of their severity. */
function drawGutter() {
  const lines = text.value.split("\n").length;
  const marks = run.lines?.get(open);
  const line = (_, index) => {
    const severity = marks?.get(index + 1);
    return element("span", { class: severity && `is-${severity}` }, String(index + 1));
  };
  part("gutter").replaceChildren(...Array.from({ length: lines }, line));
  part("gutter").scrollTop = text.scrollTop;
}

/** Opens a file, selects a range of it and moves it into view. */
function show(range) {
  if (files[range.path] === undefined) return;
  select(range.path);
  const [start, end] = [offset(text.value, range.line, range.column), offset(text.value, range.endLine, range.endColumn)];
  text.focus();
  text.setSelectionRange(start, end);
  const height = text.scrollHeight / text.value.split("\n").length;
  text.scrollTop = Math.max(0, (range.line - 4) * height);
}

function change(next, path) {
  part("undo").hidden = true;
  files = next;
  select(files[path] === undefined ? Object.keys(files)[0] : path);
  check();
}

// The runs.

let worker;
let waiting;

function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.failed) status.textContent = `joblint cannot be loaded: ${data.failed}`;
    if (data.id === run.id && data.answer) finish(data);
  };
}

function check() {
  run = { ...run, id: run.id + 1 };
  const { id } = run;
  if (!waiting) status.textContent = "Checking …";
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    worker.terminate();
    start();
    finish({ id, answer: { error: "stopped after 20 seconds" } });
  }, PATIENCE);
  worker.postMessage({ id, files, deployers: deployers() });
}

function finish({ answer, milliseconds }) {
  clearTimeout(waiting);
  waiting = undefined;
  root.dataset.runs = String(Number(root.dataset.runs ?? 0) + 1);
  if (answer.error) {
    status.textContent = answer.error;
    return;
  }
  mark(answer.check.findings);
  if (run.isNew && answer.check.findings.length > 0) select(answer.check.findings[0].path);
  run.isNew = false;
  const { errors, warnings, infos } = answer.check.summary;
  const time = `${Math.round(milliseconds)} ms, joblint ${answer.check.tool.version}`;
  status.textContent = `${plural(errors, "error")}, ${plural(warnings, "warning")}, ${plural(infos, "info")} (${time})`;
  part("findings").replaceChildren(...findings(answer, rulePage, { show, apply }));
  part("forecast").replaceChildren(...forecasts(answer, factPage));
  part("notes").replaceChildren(...answer.notes.map((note) => element("p", { class: "dim" }, note)));
  part("empty").hidden = answer.check.findings.length + answer.check.errors.length > 0;
}

/** Applies a fix; it can be undone until something else changes. */
function apply(fix) {
  before = { files, open };
  change(edited(files, fix.edits), fix.edits[0].path);
  part("undo").hidden = false;
}

const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Remembers the lines of findings and the worst severity of each file. */
function mark(found) {
  const ranks = ["info", "warning", "error"];
  const raise = (map, key, severity) => {
    if (ranks.indexOf(severity) > ranks.indexOf(map.get(key))) map.set(key, severity);
  };
  run.worst = new Map();
  run.lines = new Map();
  for (const { path, line, severity } of found) {
    raise(run.worst, path, severity);
    if (!run.lines.has(path)) run.lines.set(path, new Map());
    raise(run.lines.get(path), line, severity);
  }
  drawTabs();
  drawGutter();
}

// The controls.

let pause;
text.addEventListener("input", () => {
  files[open] = text.value;
  part("undo").hidden = true;
  drawGutter();
  clearTimeout(pause);
  pause = setTimeout(check, PAUSE);
});
text.addEventListener("scroll", () => (part("gutter").scrollTop = text.scrollTop));

// The book turns pages with the arrow keys and searches with letters; here they belong to the editor.
root.addEventListener("keydown", (event) => event.stopPropagation());

// Tab indents, as in an editor; after Escape it moves on, so that the keyboard can leave.
let leaves = false;
text.addEventListener("blur", () => (leaves = false));
text.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leaves = true;
  if (event.key !== "Tab" || event.shiftKey || leaves) return;
  event.preventDefault();
  text.setRangeText("  ", text.selectionStart, text.selectionEnd, "end");
  text.dispatchEvent(new Event("input"));
});

tabs.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const paths = Object.keys(files);
  select(paths[(paths.indexOf(open) + step + paths.length) % paths.length]);
  tabs.querySelector("[aria-selected=true]").focus();
});

tools.forEach((box) => box.addEventListener("change", check));
part("options").addEventListener("change", check);

part("undo").addEventListener("click", () => {
  change(before.files, before.open);
  text.focus();
});
part("add").addEventListener("click", () => {
  const path = prompt("Path of the new file", "job.yaml")?.trim().replace(/^[./]+/, "");
  if (path && files[path] === undefined) change({ ...files, [path]: "" }, path);
});
part("remove").addEventListener("click", () => {
  const { [open]: _, ...rest } = files;
  change(Object.keys(rest).length > 0 ? rest : { "job.yaml": "" }, "");
});
part("folder").addEventListener("change", async ({ target }) => {
  const isText = (file) => file.size <= LARGEST && !/(^|\/)(\.git|node_modules)\//.test(file.webkitRelativePath);
  const chosen = [...target.files].filter(isText);
  const inside = (file) => file.webkitRelativePath.split("/").slice(1).join("/");
  const texts = await Promise.all(chosen.map(async (file) => [inside(file), await file.text()]));
  if (texts.length > 0) load({ files: Object.fromEntries(texts), deployers: deployers() });
  target.value = "";
});
part("share").addEventListener("click", async ({ target }) => {
  history.replaceState(null, "", await link.write(state()));
  const done = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  target.textContent = done ? "Link copied" : "The link is in the address bar";
  setTimeout(() => (target.textContent = "Share a link"), 2500);
});
addEventListener("hashchange", async () => {
  const shared = await link.read(location.hash);
  if (shared) load(shared);
});

start();
const examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
const choice = part("example");
choice.append(...examples.map(({ title }, index) => element("option", { value: index }, title)));
choice.addEventListener("change", () => load(examples[choice.value]));
load((await link.read(location.hash)) ?? examples[0]);
