// Finds rules by the text of an error, as `joblint explain` does: first those that predict it, then those that share
// words with it.

const input = document.getElementById("error");
const list = document.querySelector("#rule-search ul");
const rules = await (await fetch("rules.json")).json();

/** Whether an error contains the parts of a symptom in their order; `…` stands for any text. */
function predicts(symptom, error) {
  let rest = error;
  return symptom.toLowerCase().split("…").map((part) => part.trim()).filter(Boolean).every((part) => {
    const at = rest.indexOf(part);
    rest = rest.slice(at + part.length);
    return at >= 0;
  });
}

function found(text) {
  const error = text.toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (!error) return [];
  const predicting = rules.filter((rule) => rule.symptoms.some((symptom) => predicts(symptom, error)));
  if (predicting.length > 0) return predicting;
  const words = error.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const score = (rule) => {
    const own = `${rule.id} ${rule.summary} ${rule.help} ${rule.symptoms.join(" ")}`.toLowerCase();
    return words.filter((word) => own.includes(word)).length;
  };
  const scored = rules.map((rule) => ({ rule, score: score(rule) }));
  const best = Math.max(...scored.map((one) => one.score));
  const near = scored.filter((one) => one.score > 0 && one.score >= best - 1);
  return near.toSorted((a, b) => b.score - a.score).slice(0, 8).map((one) => one.rule);
}

function show() {
  const item = (rule) => {
    const [entry, link] = [document.createElement("li"), document.createElement("a")];
    link.href = `${rule.id}.html`;
    link.textContent = rule.id;
    entry.append(link, `: ${rule.summary}`);
    return entry;
  };
  const all = found(input.value);
  list.replaceChildren(...all.map(item));
  if (input.value.trim() && all.length === 0) list.textContent = "No rule predicts this error.";
}

input.addEventListener("input", show);
// The book turns pages with the arrow keys, and searches with letters.
input.addEventListener("keydown", (event) => event.stopPropagation());
show();
