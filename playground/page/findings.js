// The list of findings: what, where, why, and the fixes.

import { element, words } from "./text.js";

/** The findings of a run. `show` opens a range of a file, `apply` applies the edits of a fix. */
export function findings(answer, rulePage, { show, apply }) {
  const { findings, errors } = answer.check;
  const failed = errors.map((text) => element("li", { class: "is-error" }, element("p", {}, ...words(text))));
  const found = findings.map((finding) => item(finding, rulePage, { show, apply }));
  return [...failed, ...found];
}

function item(finding, rulePage, { show, apply }) {
  const page = element("a", { href: rulePage(finding.rule), target: "_blank" }, finding.rule);
  return element(
    "li",
    { class: `is-${finding.severity}` },
    element("p", { class: "headline" }, element("b", {}, finding.severity), " ", ...words(finding.message)),
    labels(finding, show),
    finding.help ? element("p", { class: "help" }, ...words(finding.help)) : undefined,
    values(finding),
    element("p", { class: "actions" }, ...(finding.fixes ?? []).map((fix) => button(fix, apply)), page),
  );
}

/** The labels of a finding, each with a button that shows its place; without labels, the finding's own place. */
function labels(finding, show) {
  const all = finding.labels?.length ? finding.labels : [{ ...finding, text: "" }];
  const line = (label) =>
    element(
      "li",
      {},
      element("button", { class: "place", onclick: () => show(label) }, `${label.path}:${label.line}`),
      " ",
      ...words(label.text),
    );
  return element("ul", { class: "labels" }, ...all.map(line));
}

function values(finding) {
  const others = (finding.valueSets ?? []).filter((set) => set !== "values.yaml");
  return others.length ? element("p", { class: "dim" }, `with ${others.join(", ")}`) : undefined;
}

function button(fix, apply) {
  const safety = fix.applicability === "safe" ? undefined : element("small", {}, ` ${fix.applicability}`);
  return element("button", { class: "fix", onclick: () => apply(fix) }, "Fix: ", ...words(fix.title), safety);
}
