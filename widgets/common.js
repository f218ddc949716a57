// Shared by the widgets: elements, cards, and a graph that the keyboard can reach.
// Words come from Python already escaped; only those are set as HTML. Numbers are set as text.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function makeHTML(tag, className, html) {
  const element = make(tag, className ? { class: className } : {});
  element.innerHTML = html;
  return element;
}

// What may have the focus keeps its keys: JupyterLab asks the element itself, not what it is in.
function keepKeys(element) {
  element.setAttribute("data-lm-suppress-shortcuts", "true");
  return element;
}

// A part that scrolls when it is too long: the keyboard reaches it then, and only then.
function makeScroller(element, label) {
  element.setAttribute("role", "group"); // not a landmark: a page may hold many widgets
  element.setAttribute("aria-label", label);
  return keepKeys(element);
}

function reachIfItScrolls(element) {
  const scrolls = element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
  if (scrolls) element.setAttribute("tabindex", "0");
  else element.removeAttribute("tabindex");
}

// The words of a label; what stands under a bar is the gradient of it.
function say(label) {
  const copy = label.cloneNode(true);
  for (const bar of copy.querySelectorAll("mover, .mgw-overline")) {
    bar.replaceWith(`gradient of ${(bar.tagName.toLowerCase() === "mover" ? bar.firstElementChild : bar).textContent}`);
  }
  return copy.textContent.trim();
}

const LETTER = 7.3; // the width of a letter in a table
const cellWidth = (rows) => Math.max(40, 11 + LETTER * Math.max(...rows.flat().map(([text]) => text.length))) + 1;
const tableWidth = (table) => (table.rows.length ? cellWidth(table.rows) * table.rows[0].length : 0) + 22;

// A table of as many columns as there is room for; dots say where there is more.
function makeTable(table, name, room) {
  const box = make("div", { class: "mgw-array" });
  const facts = Object.entries(table.facts || {}).map(([key, value]) => `${key} ${value}`.replaceAll("-", "−")).join(", ");
  const shape = table.shape ? `${table.shape}: ` : "";
  if (table.same) box.append(makeText("div", "mgw-aside", facts || `${shape}${table.same}`));
  else if (facts) box.append(makeText("div", "mgw-aside", `${shape}${facts}`));
  if (!table.rows.length || !table.rows[0].length) {
    if (!table.same) box.append(makeText("div", "mgw-aside", `empty, ${table.shape}`));
    return box;
  }
  const columns = table.rows[0].length;
  const fitting = tableWidth(table) <= room + 22 ? columns : Math.max(1, Math.floor((room - 22) / cellWidth(table.rows)));
  const shown = Math.min(columns, fitting);
  const more = { rows: table.more.includes("rows"), columns: table.more.includes("columns") || shown < columns };
  const cells = make("table", { class: "mgw-table", "aria-label": name });
  for (const row of table.rows) {
    const line = cells.insertRow();
    for (const [text, level, exact] of row.slice(0, shown)) {
      const cell = line.insertCell();
      cell.textContent = text;
      cell.title = exact;
      cell.className = `mgw-level mgw-level-${level}`;
    }
    if (more.columns) line.insertCell().textContent = "…";
  }
  if (more.rows) {
    const line = cells.insertRow();
    for (let i = 0; i < shown; i++) line.insertCell().textContent = "⋮";
  }
  box.append(cells);
  return box;
}

function makeText(tag, className, text) {
  const element = make(tag, { class: className });
  element.textContent = text;
  return element;
}

const BESIDE = 100; // the room of a label beside a table, and the gap: as in widgets.css

// A card: heading, formulas, facts, and arrays as tables. Rows marked `after` wait for that step.
function paintCard(host, card, { step = Infinity, above = "" } = {}) {
  const room = (host.clientWidth || 300) - 26;
  const parts = above ? [makeText("div", "mgw-aside", above)] : [];
  parts.push(makeHTML("h4", "", card.heading));
  for (const math of card.formulas) parts.push(makeHTML("div", "mgw-formula", math));
  if (card.source) parts.push(makeText("code", "mgw-source", card.source));
  if (card.facts.length) {
    const list = make("dl");
    for (const [name, value] of card.facts) list.append(makeText("dt", "", name), makeText("dd", "", value));
    parts.push(list);
  }
  for (const row of card.rows) {
    if (row.after !== undefined && row.after > step) continue;
    const label = makeHTML("div", "mgw-row-label", row.label);
    const long = label.textContent.length > 8;
    if (row.note) label.append(" ", makeText("span", "mgw-aside", row.note));
    const wide = long || row.table.facts || row.table.same || tableWidth(row.table) > room - BESIDE + 22;
    const kind = `mgw-row${row.total ? " mgw-total" : ""}${wide ? " mgw-wide" : ""}`;
    parts.push(make("div", { class: kind }, label, makeTable(row.table, say(label), wide ? room : room - BESIDE)));
  }
  host.replaceChildren(...parts);
  for (const formula of host.querySelectorAll(".mgw-formula")) {
    if (formula.scrollWidth > formula.clientWidth + 1) reachIfItScrolls(makeScroller(formula, "Formula"));
  }
}

const SMALLEST = 10 / 12; // the scale at which letters of 12 px are 10 px high: below, a picture scrolls

// A drawing in a pane of its own, never smaller than can be read.
function makeMap(svg, label) {
  const pane = makeScroller(makeHTML("div", "mgw-pane mgw-map", svg), label);
  keepReadable(pane);
  return pane;
}

function keepReadable(pane) {
  for (const drawing of pane.querySelectorAll("svg")) drawing.style.minWidth = `${Math.floor(drawing.getAttribute("width") * SMALLEST)}px`;
}

const LONG_WORD = 24; // letters of code without a space, in which a line may end at a bracket

// A line of code, for a narrow listing: it never goes on right after its indent, and long calls break.
function breakable(text) {
  const indent = text.match(/^ */)[0];
  const words = text.slice(indent.length).split(/(?<= )/);
  const calls = (word) => (word.length > LONG_WORD ? word.split(/(?<=\w\()(?!\))/) : [word]);
  const pieces = words.flatMap((word) => calls(word).flatMap((piece, i) => (i ? [make("wbr"), piece] : [piece])));
  return [make("span", { class: "mgw-indent" }, indent), ...pieces];
}

// The lines of a program. Each function has a margin of its own, and a long line goes on indented.
function makeListing(lines, label) {
  const listing = makeScroller(make("pre", { class: "mgw-listing" }), label);
  const digits = String(Math.max(0, ...lines.map((line) => line.number))).length;
  let margin = 0;
  lines.forEach((line, i) => {
    if (i === 0 || line.begins) {
      const end = lines.findIndex((other, j) => j > i && other.begins);
      const own = lines.slice(i, end < 0 ? lines.length : end).filter((l) => l.text.trim());
      margin = own.length ? Math.min(...own.map((l) => l.text.search(/\S/))) : 0;
    }
    const number = makeText("span", "mgw-number", String(line.number).padStart(digits));
    const code = make("code", {}, ...breakable(line.text.slice(margin) || " "));
    const hang = `${code.textContent.search(/\S|$/) + 4}ch`;
    code.style.paddingLeft = hang;
    code.style.textIndent = `-${hang}`;
    listing.append(make("span", { class: `mgw-line${i && line.begins ? " mgw-begins" : ""}` }, number, code));
  });
  return { element: lines.length ? listing : makeText("div", "mgw-aside", "The source is not to be had."), listing, lines: [...listing.children] };
}

// Call `act` whenever the width of `element` changes; the answer stops it.
function onResize(element, act) {
  let width = -1;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth !== width) {
      width = element.clientWidth;
      act();
    }
  });
  observer.observe(element);
  return () => observer.disconnect();
}

// The frame of a widget. A click anywhere in it gives it the focus, so that its keys work from there.
function makeRoot(el, label) {
  const frame = keepKeys(make("div", { class: "mgw-frame", role: "group", "aria-label": label, tabindex: "-1" }));
  const root = keepKeys(make("div", { class: "mgw" }, frame));
  el.append(root);
  return { root, frame };
}
