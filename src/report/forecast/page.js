const boxes = [...document.querySelectorAll("#filter input")];
const show = () => {
  const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let left = 0;
  for (const section of document.querySelectorAll("section")) {
    let hits = 0;
    for (const cell of section.querySelectorAll("td")) {
      const hit = wanted.size === 0 || wanted.has(cell.dataset.outcome);
      cell.classList.toggle("off", !hit);
      hits += hit;
    }
    section.hidden = hits === 0;
    left += hits > 0;
  }
  document.getElementById("none").hidden = left > 0 || boxes.length === 0;
};
boxes.forEach((box) => box.addEventListener("change", show));
show();
