// The forecast tables: what each deployer does to a workload at each event.

import { element, words } from "./text.js";

/** One table for each workload. `factPage` gives the page of a fact by its address. */
export function forecasts({ forecast, legend }, factPage) {
  return forecast.workloads.map((workload) => table(workload, legend, factPage));
}

function table(workload, legend, factPage) {
  const columns = workload.forecast;
  const events = legend.events.filter(({ name }) => columns.some((column) => column.events[name]));
  const reasons = [];
  const number = (cell) => {
    if (!cell.reason) return 0;
    const at = reasons.findIndex((known) => known.reason === cell.reason);
    return at < 0 ? reasons.push(cell) : at + 1;
  };
  const row = (event) => {
    const title = element("th", { scope: "row" }, event.name, element("small", {}, event.about));
    return element("tr", {}, title, ...columns.map((one) => cell(one.events[event.name], event, legend, number)));
  };
  const sets = workload.valueSets ? ` with ${workload.valueSets.join(", ")}` : "";
  return element(
    "section",
    {},
    element("h3", {}, `${workload.kind} `, element("code", {}, workload.name ?? `${workload.generateName}*`)),
    element("p", { class: "dim" }, `${workload.path}:${workload.line}${sets}`),
    element("div", { class: "scroll" }, element("table", {}, head(columns), element("tbody", {}, ...events.map(row)))),
    element("ol", {}, ...reasons.map((one) => reason(one, factPage))),
  );
}

function head(columns) {
  const title = (column) => {
    const options = Object.entries(column.options ?? {}).map(([name, value]) => `${name}=${value}`);
    if (column.assumed) options.push("assumed");
    return element("th", { scope: "col" }, column.deployer, ...options.map((text) => element("small", {}, text)));
  };
  return element("thead", {}, element("tr", {}, element("th"), ...columns.map(title)));
}

function cell(one, event, legend, number) {
  if (!one) return element("td", { class: "quiet" }, "–");
  const outcome = legend.outcomes.find(({ name }) => name === one.outcome);
  const kind = event.bad.includes(one.outcome) ? "bad" : outcome.starts ? "runs" : "quiet";
  const also = one.also?.length ? element("small", {}, one.also.join(", ")) : undefined;
  const note = number(one);
  return element("td", { class: kind, title: outcome.about }, one.outcome, note ? element("sup", {}, String(note)) : undefined, also);
}

function reason(one, factPage) {
  const places = (one.labels ?? []).map((label) => element("li", {}, `${label.path}:${label.line} `, ...words(label.text)));
  const fact = one.factUrl ? element("a", { href: factPage(one.factUrl), target: "_blank" }, one.fact) : undefined;
  return element("li", {}, ...words(one.reason), " ", fact, places.length ? element("ul", {}, ...places) : undefined);
}
