// Text of joblint as elements, and edits of files.

/** An element with attributes and children; texts are never read as HTML. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A text in which backticks mark code, as elements. */
export function words(text) {
  const parts = text.split("`");
  const part = (text, index) => (index % 2 ? element("code", {}, text) : document.createTextNode(text));
  return parts.map(part);
}

/** The offset in a text of a line and a column, both from 1, the column in code points. */
export function offset(text, line, column) {
  let start = 0;
  for (let left = line; left > 1; left--) {
    const end = text.indexOf("\n", start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const rest = text.slice(start).split("\n", 1)[0];
  return start + [...rest].slice(0, column - 1).join("").length;
}

/** The files after the edits of a fix, whose offsets count bytes. */
export function edited(files, edits) {
  const after = { ...files };
  const last = edits.toSorted((a, b) => b.start - a.start || b.end - a.end);
  for (const { path, start, end, text } of last) {
    if (after[path] === undefined) continue;
    const bytes = new TextEncoder().encode(after[path]);
    const decode = (part) => new TextDecoder().decode(part);
    after[path] = decode(bytes.subarray(0, start)) + text + decode(bytes.subarray(end));
  }
  return after;
}
