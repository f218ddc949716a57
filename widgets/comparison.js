// Gradients beside differences: the entry that is pointed at lights in all three tables.

function render({ model, el }) {
  const inputs = model.get("inputs");
  const { root, frame } = makeRoot(el, `Gradients of ${model.get("title")} against differences`);
  root.classList.add("mgw-comparison");
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Gradients against differences"), makeText("span", "mgw-title-call", model.get("title")));
  const verdict = makeText("div", "mgw-sentence", model.get("verdict"));
  const told = make("div", { class: "mgw-sentence mgw-two-lines mgw-foot", role: "status", "aria-live": "polite" });
  const body = make("div", { class: "mgw-compared" });
  frame.append(bar, verdict, body, told);

  const cells = new Map(); // by "input-entry", the cells of the three tables
  const grids = inputs.map((input, i) => {
    const tables = make("div", { class: "mgw-tables" });
    const columns = input.tables[0].rows[0].length;
    const own = input.tables.map((table) => {
      const array = makeTable(table, `${table.title} of ${input.heading}`, Infinity);
      tables.append(make("div", { class: "mgw-compare" }, makeText("div", "mgw-aside", table.title), array));
      const found = [...array.querySelectorAll("td[title]")].slice(0, input.kinds.length);
      found.forEach((cell, j) => {
        cell.dataset.kind = input.kinds[j];
        cell.title = input.sentences[j];
        keepKeys(cell);
        cells.set(`${i}-${j}`, [...(cells.get(`${i}-${j}`) ?? []), cell]);
        for (const event of ["pointerenter", "focus"]) cell.addEventListener(event, () => choose(i, j));
        cell.addEventListener("keydown", (event) => {
          if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
          const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -j, End: found.length - 1 - j }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          found[j + by]?.focus();
        });
      });
      return found;
    });
    const section = make("div", {}, makeText("div", "mgw-compare-head", input.heading), tables);
    if (input.aside) section.append(makeText("div", "mgw-aside", input.aside));
    body.append(section);
    return own;
  });

  const choose = (i, j) => {
    const [a, b] = model.get("chosen");
    if (a === i && b === j) return;
    model.set("chosen", [i, j]);
    model.save_changes();
  };
  const paint = () => {
    const [i, j] = model.get("chosen");
    for (const all of cells.values()) for (const cell of all) cell.classList.remove("mgw-chosen");
    for (const cell of cells.get(`${i}-${j}`)) cell.classList.add("mgw-chosen");
    // Roving: of each table one cell is in the tab order.
    grids.forEach((own, k) => {
      for (const found of own) found.forEach((cell, n) => cell.setAttribute("tabindex", (k === i ? n === j : n === 0) ? "0" : "-1"));
    });
    told.textContent = inputs[i].sentences[j];
  };
  model.on("change:chosen", paint);
  paint();
  return () => model.off("change:chosen", paint);
}

export default { render };
