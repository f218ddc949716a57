// The graph of a run: point at a box, or go there with the keyboard, and its card shows.

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Graph of ${model.get("title")}`);
  root.classList.add("mgw-view");
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Graph"), makeText("span", "mgw-title-call", model.get("title")));
  const cards = model.get("cards");
  const graph = makeGraph(model.get("svg"), model.get("label"));
  const card = makeScroller(make("div", { class: "mgw-card" }), "About the value");
  const told = make("div", { class: "mgw-told", role: "status" }); // one line for who hears the page
  frame.append(bar, make("div", { class: "mgw-columns" }, graph.column, make("div", { class: "mgw-card-column" }, card)), told);

  let shown = model.get("first");
  const show = (id) => {
    for (const each of graph.boxes) each.classList.toggle("mgw-chosen", each.dataset.box === id);
    for (const arrow of graph.graph.querySelectorAll("[data-arrow]")) {
      arrow.classList.toggle("mgw-near", arrow.dataset.arrow.startsWith(`${id}-`));
    }
    shown = id;
    paintCard(card, cards[id]);
    reachIfItScrolls(card);
    told.textContent = `${cards[id].name}: ${card.querySelector("h4").textContent}`;
  };
  for (const each of graph.boxes) {
    each.addEventListener("pointerenter", () => show(each.dataset.box));
    each.addEventListener("focus", () => show(each.dataset.box));
  }
  const keys = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  root.addEventListener("keydown", (event) => {
    const at = event.target.closest?.("[data-box]");
    if (!at || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    graph.rove(at, keys[event.key]);
    event.preventDefault();
    event.stopPropagation();
  });
  show(shown);
  let begun = false;
  return onResize(graph.pane, () => {
    graph.size();
    show(shown);
    if (!begun && graph.pane.clientWidth) graph.reveal(graph.boxes[0].dataset.box);
    begun = begun || graph.pane.clientWidth > 0;
  });
}

export default { render };
