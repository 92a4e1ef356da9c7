// The matrix of everything that was observed: cases and deployers as rows, events as columns. A cell opens what was
// seen there.

const root = document.getElementById("matrix");
const part = (name) => root.querySelector(`[data-part=${name}]`);
const form = root.querySelector("form");
const { tables, cases, events, outcomes } = await (await fetch("matrix/matrix.json")).json();

/** The first case shown: the Job that most people have. */
const FIRST = "fixed name";

const cells = tables.flatMap(({ name, tool, server, rows }) =>
  rows.map(([example, work, deployer, event, outcome, also, ended, objects, message]) => {
    const [short, options = ""] = deployer.split(/:(.*)/s);
    return { table: name, tool, server, case: example, work, deployer, short, options, event, outcome, also, ended, objects, message };
  }),
);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Filters.

const wanted = () => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));

const FIELDS = { case: "case", tool: "short", options: "options", event: "event", outcome: "outcome" };

/** Whether a cell is left by all filters, except that of one field. */
function matches(cell, filters, except) {
  const fits = ([name, field]) => name === except || !filters[name] || (cell[field] || "none") === filters[name];
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  const text = () => Object.values(cell).join(" ").toLowerCase();
  return Object.entries(FIELDS).every(fits) && (words.length === 0 || words.every((word) => text().includes(word)));
}

/** The choices of a filter: what the other filters leave. */
function choices(name, filters) {
  const order = { event: events, outcome: outcomes }[name]?.map((one) => one.name);
  const left = new Set(cells.filter((cell) => matches(cell, filters, name)).map((cell) => cell[FIELDS[name]] || "none"));
  const all = order ? order.filter((one) => left.has(one)) : [...left].sort();
  const select = form.elements[name];
  const option = (value) => element("option", { value }, value);
  select.replaceChildren(element("option", { value: "" }, "any"), ...all.map(option));
  select.value = all.includes(filters[name]) ? filters[name] : "";
}

// The table.

/** Most rows that are shown at once. */
const MOST = 150;

function kind(cell) {
  const event = events.find(({ name }) => name === cell.event);
  if (event.bad.includes(cell.outcome)) return "bad";
  return outcomes.find(({ name }) => name === cell.outcome).starts ? "runs" : "quiet";
}

function rows(shown) {
  const rows = new Map();
  for (const cell of shown) {
    const key = [cell.case, cell.work, cell.deployer, cell.table].join("\t");
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(cell);
  }
  return [...rows.values()];
}

function draw() {
  const filters = wanted();
  Object.keys(FIELDS).forEach((name) => choices(name, filters));
  const shown = cells.filter((cell) => matches(cell, wanted()));
  const all = rows(shown);
  const columns = events.filter(({ name }) => shown.some((cell) => cell.event === name));
  const hidden = all.length > MOST ? `; the first ${MOST} rows are shown` : "";
  part("count").textContent = `${shown.length} of ${cells.length} observed cells in ${all.length} rows${hidden}`;
  const head = columns.map(({ name, about }) => element("th", { scope: "col", title: about }, name));
  // One chosen Job needs no column.
  const isNamed = new Set(shown.map((cell) => `${cell.case}: ${cell.work}`)).size > 1;
  const names = isNamed ? ["Job", "deployer", "seen with"] : ["deployer", "seen with"];
  const titles = names.map((text) => element("th", { scope: "col" }, text));
  const body = all.slice(0, MOST).map((row) => line(row, columns, isNamed));
  part("table").replaceChildren(
    element("thead", {}, element("tr", {}, ...titles, ...head)),
    element("tbody", {}, ...body),
  );
  part("yaml").hidden = !wanted().case;
  part("yaml").querySelector("code").textContent = cases[wanted().case] ?? "";
}

/** A Go module and its version, in short: `argo-cd v3.5.7`, `gitops-engine 20260914`. */
function short(tool) {
  const [path, version] = tool.split(" ");
  const name = path.split("/").filter((part) => !/^v\d+$/.test(part)).at(-1);
  return `${name} ${version.replace(/^v0\.0\.0-(\d{8}).*/, "$1")}`;
}

function line(row, columns, isNamed) {
  const { case: example, work, short: deployer, options, tool } = row[0];
  const name = work === "migrate" ? example : `${example}: ${work}`;
  const small = [...options.split(",").filter(Boolean)].map((text) => element("small", {}, text));
  const title = element("th", { scope: "row" }, deployer, ...small);
  const cell = ({ name }) => {
    const found = row.find((one) => one.event === name);
    if (!found) return element("td", { class: "quiet" }, "–");
    const button = element("button", { type: "button", onclick: () => open(found) }, found.outcome);
    return element("td", { class: kind(found) }, button);
  };
  const seen = element("td", { class: "quiet seen" }, short(tool));
  const job = isNamed ? [element("th", { scope: "row" }, name)] : [];
  return element("tr", {}, ...job, title, seen, ...columns.map(cell));
}

// One cell.

const key = (cell) => "#" + [cell.table, cell.case, cell.work, cell.deployer, cell.event].map(encodeURIComponent).join("/");

function open(cell) {
  const dialog = part("cell");
  const about = (list, name) => list.find((one) => one.name === name)?.about ?? "";
  const pair = (title, ...text) => [element("dt", {}, title), element("dd", {}, ...text)];
  const facts = [
    ...pair("Event", `${cell.event}: ${about(events, cell.event)}`),
    ...pair("Outcome", element("strong", { class: kind(cell) }, cell.outcome), ` ${about(outcomes, cell.outcome)}`),
    ...(cell.also ? pair("Besides", cell.also) : []),
    ...pair("The deploy", cell.ended === "ok" ? "succeeded" : "failed"),
    ...pair("Objects", cell.objects || "none"),
    ...(cell.message ? pair("What it said", element("code", {}, cell.message)) : []),
    ...pair("Seen with", `${cell.tool}, ${cell.server}`),
  ];
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(
    element("h2", { id: "cell-title" }, `${cell.case}, ${cell.deployer}`),
    element("dl", {}, ...facts),
    element("pre", {}, element("code", {}, cases[cell.case] ?? "")),
    close,
  );
  history.replaceState(null, "", key(cell));
  dialog.showModal();
}

part("cell").addEventListener("close", () => history.replaceState(null, "", location.pathname));
form.addEventListener("input", draw);
// The book turns pages with the arrow keys; in a filter they choose.
root.addEventListener("keydown", (event) => event.stopPropagation());

draw();
form.elements.case.value = FIRST;
const linked = cells.find((cell) => key(cell) === location.hash);
if (linked) form.elements.case.value = linked.case;
draw();
if (linked) open(linked);
