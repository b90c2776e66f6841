"use strict";
// Tables: sorted by a click on a heading, filtered, downloaded.

const MANY_ROWS = 100;
const LONG = 40;

function parsedCsv(text) {
  const rows = [[]];
  let cell = "", quoted = false;
  for (let k = 0; k < text.length; k += 1) {
    const letter = text[k];
    if (quoted) {
      if (letter === '"' && text[k + 1] === '"') { cell += '"'; k += 1; }
      else if (letter === '"') quoted = false;
      else cell += letter;
    } else if (letter === '"') quoted = true;
    else if (letter === ",") { rows[rows.length - 1].push(cell); cell = ""; }
    else if (letter === "\n") { rows[rows.length - 1].push(cell); cell = ""; rows.push([]); }
    else cell += letter;
  }
  rows.pop();
  return { columns: rows[0], rows: rows.slice(1) };
}

function isNumber(cell) {
  return cell !== "" && Number.isFinite(Number(cell));
}

function readable(cell) {
  if (cell === "") return "–";
  if (cell === "True" || cell === "False") return cell === "True" ? "yes" : "no";
  if (!isNumber(cell)) return cell;
  return /^-?\d+$/.test(cell) ? cell : brief(Number(cell));
}

function groupsOf(table) {
  const groups = [];
  table.columns.forEach((name, k) => {
    const base = name.replace(/_(low|high)$/, "");
    if (base !== name && table.columns.includes(base)) return;
    const first = table.rows[0]?.[k] ?? "";
    if (first.length > LONG && !isNumber(first) && table.rows.every((row) => row[k] === first)) return;
    const numeric = table.rows.every((row) => row[k] === "" || isNumber(row[k]) || /^(True|False)$/.test(row[k]));
    groups.push({ name: name.replaceAll("_", " "), k, low: table.columns.indexOf(`${name}_low`),
      high: table.columns.indexOf(`${name}_high`), numeric });
  });
  return groups;
}

function cellWords(row, group) {
  const three = [group.k, group.low, group.high].map((at) => (at < 0 ? "" : row[at]));
  const ranks = three.every((cell) => cell === three[0]); // the only rank of a set
  return !ranks && three.every(isNumber) ? inWords(...three.map(Number)) : readable(row[group.k]);
}

function compared(group, turned) {
  return (one, other) => {
    const [a, b] = [one[group.k], other[group.k]];
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
    return turned ? -order : order;
  };
}

class SortedTable {
  constructor(place, file, source) {
    this.place = place;
    this.file = file;
    this.source = source;
    this.table = parsedCsv(source.text);
    this.groups = groupsOf(this.table);
    this.shown = MANY_ROWS;
    this.wanted = "";
    this.sorted = null;
    this.place.querySelector(".tools").replaceChildren(...this.tools());
    this.body = this.place.querySelector("tbody");
    this.head();
    this.fill();
  }

  tools() {
    const title = this.place.dataset.title;
    const made = [];
    const button = element("button", { type: "button", "aria-label": `Download CSV: ${title}` }, "Download CSV");
    button.addEventListener("click", () => this.download());
    if (!this.source.cut) made.push(button);
    if (this.table.rows.length > 15) {
      const field = element("input", { type: "search", "aria-label": `Rows with these words: ${title}`, placeholder: "Rows with…" });
      field.className = "filter";
      field.addEventListener("input", () => { this.wanted = field.value.toLowerCase(); this.shown = MANY_ROWS; this.fill(); });
      made.push(field);
    }
    this.count = element("span", { class: "told", role: "status" });
    this.more = element("button", { type: "button" }, "Show more rows");
    this.more.addEventListener("click", () => { this.shown += 5 * MANY_ROWS; this.fill(); });
    return [...made, this.count, this.more];
  }

  download() {
    const link = element("a", { href: URL.createObjectURL(new Blob([this.source.text], { type: "text/csv" })) });
    link.download = this.file.split("/").pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  head() {
    const row = element("tr");
    for (const group of this.groups) {
      const button = element("button", { type: "button", title: "Sort by this column" }, group.name);
      const heading = element("th", { scope: "col", class: group.numeric ? "number" : "" }, button);
      button.addEventListener("click", () => this.sort(group, heading));
      row.append(heading);
    }
    this.place.querySelector("thead").replaceChildren(row);
  }

  sort(group, heading) {
    const turned = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentNode.children) {
      other.removeAttribute("aria-sort");
      other.querySelector("button").textContent = other.querySelector("button").textContent.replace(/ [▲▼]$/, "");
    }
    heading.setAttribute("aria-sort", turned ? "descending" : "ascending");
    heading.querySelector("button").textContent += turned ? " ▼" : " ▲";
    this.sorted = compared(group, turned);
    this.fill();
  }

  fill() {
    let rows = this.table.rows;
    if (this.wanted) rows = rows.filter((row) => row.join("\n").toLowerCase().includes(this.wanted));
    if (this.sorted) rows = [...rows].sort(this.sorted);
    const made = rows.slice(0, this.shown).map((row) => element("tr", {}, ...this.groups.map((group) => {
      const words = cellWords(row, group);
      return element("td", { class: group.numeric ? "number" : words.length > LONG ? "long" : "" }, words);
    })));
    this.body.replaceChildren(...made);
    const many = rows.length > 15 || this.wanted;
    this.count.textContent = many ? `${made.length} of ${rows.length} rows` : "";
    this.more.hidden = made.length >= rows.length;
  }
}

function startTable(place, tables) {
  if (place.dataset.started) return;
  place.dataset.started = "yes";
  new SortedTable(place, place.dataset.table, tables[place.dataset.table]);
}
