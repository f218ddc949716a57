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

function makeTable(table) {
  const cells = make("table", { class: "mgw-table" });
  for (const row of table.rows) {
    const line = cells.insertRow();
    for (const [text, level, exact] of row) {
      const cell = line.insertCell();
      cell.textContent = text;
      cell.title = exact;
      cell.className = `mgw-level mgw-level-${level}`;
    }
    if (table.more) line.insertCell().textContent = "…";
  }
  const box = make("div", { class: "mgw-array" });
  if (table.facts) {
    const facts = Object.entries(table.facts).map(([name, value]) => `${name} ${value}`).join(", ");
    box.append(makeText("div", "mgw-aside", `${table.shape}: ${facts}`.replaceAll("-", "−")));
  }
  if (table.rows.length && table.rows[0].length) box.append(cells);
  else box.append(makeText("div", "mgw-aside", `empty, ${table.shape}`));
  return box;
}

function makeText(tag, className, text) {
  const element = make(tag, { class: className });
  element.textContent = text;
  return element;
}

// A card: heading, formulas, facts, and arrays as tables. Rows marked `after` wait for that step.
function paintCard(host, card, step = Infinity) {
  const parts = [makeHTML("h4", "", card.heading)];
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
    if (row.note) label.append(" ", makeText("span", "mgw-aside", row.note));
    const wide = row.table.facts || (row.table.rows[0] || []).length > 3;
    const kind = `mgw-row${row.total ? " mgw-total" : ""}${wide ? " mgw-wide" : ""}`;
    parts.push(make("div", { class: kind }, label, makeTable(row.table)));
  }
  host.replaceChildren(...parts);
}

// The graph in its pane: never larger than drawn, never smaller than can be read; then it scrolls.
function makeGraph(svg, cards, label) {
  const pane = makeHTML("div", "mgw-pane", svg);
  const graph = pane.querySelector("svg");
  const width = Number(graph.getAttribute("width"));
  const fit = make("button", { type: "button", class: "mgw-fit", "aria-pressed": "false" }, "Fit");
  fit.title = "Show the whole graph";
  const column = make("div", { class: "mgw-graph-column" }, pane, fit);
  const size = () => {
    const whole = fit.getAttribute("aria-pressed") === "true";
    const room = pane.clientWidth;
    const height = Number(graph.getAttribute("height"));
    const share = whole ? Math.min(room / width, 560 / height) : Math.max(room / width, 0.8);
    graph.style.width = `${Math.floor(width * Math.min(share, 1))}px`;
    fit.hidden = !whole && width * 0.8 <= room && height * Math.min(share, 1) <= 640;
  };
  fit.onclick = () => {
    fit.setAttribute("aria-pressed", String(fit.getAttribute("aria-pressed") !== "true"));
    size();
  };
  graph.setAttribute("aria-label", label);
  const boxes = [...graph.querySelectorAll("[data-box]")];
  const box = (id) => graph.querySelector(`[data-box="${CSS.escape(id)}"]`);
  for (const each of boxes) {
    const words = [...each.querySelectorAll("text")].map((text) => text.textContent).join(", ");
    each.setAttribute("role", "img");
    each.setAttribute("aria-label", words);
    each.setAttribute("tabindex", "-1");
  }
  if (boxes.length) boxes[0].setAttribute("tabindex", "0");

  // Roving: one box is in the tab order, the arrow keys move on to the nearest box that way.
  const rove = (target, key) => {
    const from = target.getBoundingClientRect();
    const across = key === "ArrowLeft" || key === "ArrowRight";
    const sign = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    let best = null;
    for (const each of boxes) {
      const to = each.getBoundingClientRect();
      const dx = to.x + to.width / 2 - from.x - from.width / 2;
      const dy = to.y + to.height / 2 - from.y - from.height / 2;
      const ahead = sign * (across ? dx : dy);
      const aside = Math.abs(across ? dy : dx);
      if (each === target || ahead < 4 || aside > 3 * ahead) continue;
      const distance = ahead + 2 * aside;
      if (!best || distance < best.distance) best = { each, distance };
    }
    if (!best) return;
    for (const each of boxes) each.setAttribute("tabindex", each === best.each ? "0" : "-1");
    best.each.focus();
  };
  const reveal = (id) => {
    const view = pane.getBoundingClientRect();
    const at = box(id).getBoundingClientRect();
    const outside = at.top < view.top || at.bottom > view.bottom || at.left < view.left || at.right > view.right;
    if (!outside) return;
    pane.scrollTop += at.top - view.top - (view.height - at.height) / 2;
    pane.scrollLeft += at.left - view.left - (view.width - at.width) / 2;
  };
  return { column, pane, graph, boxes, box, rove, reveal, size };
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

// The frame of a widget. JupyterLab must leave its keys alone.
function makeRoot(el, label) {
  const frame = make("div", { class: "mgw-frame", role: "group", "aria-label": label });
  const root = make("div", { class: "mgw", "data-lm-suppress-shortcuts": "true" }, frame);
  el.append(root);
  return { root, frame };
}
