/* The behavior of every page: sortable tables, hints at wide boxes, details that open for printing. */

// --- sortable tables ---

function sortTable(table, column, button) {
  const head = button.closest("th");
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  table.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    if (a === "" || b === "") return Number(a === "") - Number(b === ""); // undefined values come last
    const order = Number.isNaN(x) || Number.isNaN(y) ? (a < b ? -1 : Number(a > b)) : x - y;
    return ascending ? order : -order;
  };
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => compare(key(a), key(b)));
  table.tBodies[0].append(...rows);
}

document.querySelectorAll("table.sortable").forEach((table) => {
  table.querySelectorAll("th button").forEach((button) => {
    const column = Number(button.closest("th").dataset.column);
    button.addEventListener("click", () => sortTable(table, column, button));
  });
});

// --- boxes that scroll ---

/* A box that is wider inside than outside says so. */
function markCut(box) {
  box.classList.toggle("cut", box.scrollWidth > box.clientWidth + 1);
}

const watcher = new ResizeObserver((entries) => entries.forEach((entry) => markCut(entry.target.closest(".scroll"))));
document.querySelectorAll(".scroll").forEach((box) => {
  watcher.observe(box);
  if (box.firstElementChild) watcher.observe(box.firstElementChild);
  markCut(box);
});

// --- printing ---

window.addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
});
