// The marks of reasons (①, ②, …) are wider than a letter in many fonts of code. Each gets the width of one, so that the
// columns of a forecast stay below each other.

for (const code of document.querySelectorAll("pre code")) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) if (/[①-⑳]/.test(texts.currentNode.data)) found.push(texts.currentNode);
  for (const text of found) {
    const parts = text.data.split(/([①-⑳])/).map((part) => {
      if (!/^[①-⑳]$/.test(part)) return part;
      const mark = document.createElement("span");
      mark.className = "mark-of-reason";
      mark.textContent = part;
      return mark;
    });
    text.replaceWith(...parts);
  }
}
