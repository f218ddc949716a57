// Tables whose entries say where they come from: a row of the Jacobian, lit in the table of g.

const MOST_TERMS = 6;
const TRACE_HINT = "Point at an entry of a part, or go there with Tab, to see where it comes from.";

// After paintCard: checks below the rows, and a line that says what the entry pointed at is made of.
// The answer moves the focus on among the entries that can be traced.
function addTraces(host, card) {
  const rows = [...host.querySelectorAll(".mgw-row")];
  card.rows.forEach((row, i) => {
    if (row.reach) rows[i].append(makeText("div", "mgw-aside mgw-reach", row.reach));
  });
  const traced = card.rows.flatMap((row, i) => (row.links ? [{ row, element: rows[i], links: row.links }] : []));
  const at = card.rows.findIndex((row) => row.incoming);
  const incoming = traced.length ? entriesOf(rows[at], card.rows[at]) : [];
  const all = [];
  if (traced.length) {
    const line = make("div", { class: "mgw-trace", "aria-live": "polite" }, TRACE_HINT);
    const clear = () => {
      for (const cell of host.querySelectorAll(".mgw-from, .mgw-entry")) cell.classList.remove("mgw-from", "mgw-entry");
      line.replaceChildren(TRACE_HINT);
    };
    const listen = (cell, act) => {
      const show = () => { clear(); act(); };
      keepKeys(cell).setAttribute("tabindex", "-1");
      cell.dataset.entry = String(all.push(cell) - 1);
      cell.addEventListener("pointerenter", show);
      cell.addEventListener("focus", show);
      cell.addEventListener("pointerleave", clear);
      cell.addEventListener("blur", clear);
    };
    for (const { row, element, links } of traced) {
      entriesOf(element, row).forEach((cell, index) => listen(cell, () => {
        cell.classList.add("mgw-entry");
        for (const [j] of links[index]) incoming[j]?.classList.add("mgw-from");
        line.replaceChildren(...traceOf(element, row, index, links[index], incoming));
      }));
    }
    incoming.forEach((cell, j) => listen(cell, () => {
      cell.classList.add("mgw-entry");
      let reached = 0;
      for (const { row, element, links } of traced) {
        entriesOf(element, row).forEach((other, index) => {
          if (!links[index].some(([k]) => k === j)) return;
          other.classList.add("mgw-from");
          reached += 1;
        });
      }
      line.replaceChildren(`This entry goes to ${reached} ${reached === 1 ? "entry" : "entries"} of the parts.`);
    }));
    if (all.length) all[0].setAttribute("tabindex", "0");
    host.append(line);
  }
  if (card.checks?.length) {
    const before = [...host.children].findLast((each) => each.matches("h4, .mgw-formula, .mgw-source"));
    before.after(makeChecks(card.checks));
  }
  return (from, by) => {
    const to = all[Number(from.dataset.entry) + by];
    if (!to) return;
    for (const each of all) each.setAttribute("tabindex", each === to ? "0" : "-1");
    to.focus();
  };
}

// The cells of a row's table in reading order; those that there is no room for are left out.
function entriesOf(element, row) {
  const columns = row.table.rows[0]?.length ?? 0;
  const found = [];
  for (const cell of element.querySelectorAll("td[title]")) {
    found[cell.parentNode.rowIndex * columns + cell.cellIndex] = cell;
  }
  return found;
}

function traceOf(element, row, index, terms, incoming) {
  const columns = row.table.rows[0].length;
  const label = element.querySelector(".mgw-row-label").cloneNode(true);
  label.querySelector(".mgw-aside")?.remove();
  label.className = "mgw-trace-label";
  const place = row.table.rows.length > 1 ? `[${Math.floor(index / columns)}, ${index % columns}]` : columns > 1 ? `[${index}]` : "";
  if (!terms.length) return [label, `${place} = 0: nothing that comes in reaches it`];
  const products = terms.slice(0, MOST_TERMS).map(([j, factor]) => `${inBrackets(incoming[j]?.textContent ?? "…")}·${inBrackets(factor)}`);
  if (terms.length > MOST_TERMS) products.push(`… (${terms.length} products)`);
  return [label, `${place} = ${products.join(" + ")}`];
}

function inBrackets(number) {
  const plain = number.replace("+", "");
  return /^[−-]/.test(plain) ? `(${plain})` : plain;
}

const CHECK_ICONS = {
  agrees: "M2.5 8.5 6 12l7.5-8",
  differs: "M3.5 3.5l9 9m0-9-9 9",
  kink: "M2 13 8 4l6 9",
  unclear: "M4 8h8",
};

function makeChecks(checks) {
  const list = make("ul", { class: "mgw-checks", "aria-label": "Measured" });
  for (const { label, kind, text } of checks) {
    const icon = makeHTML("span", "mgw-check-icon", `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${CHECK_ICONS[kind]}"/></svg>`);
    list.append(make("li", { class: `mgw-check mgw-check-${kind}` }, icon, makeHTML("span", "", label), makeText("span", "", text)));
  }
  return make("div", { class: "mgw-checked" }, makeText("h5", "", "Measured, this op alone"), list);
}
