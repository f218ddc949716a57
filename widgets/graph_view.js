// The graph of a run: point at a box, or go there with the keyboard, and its card shows.

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Graph of ${model.get("title")}`);
  root.classList.add("mgw-view");
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Graph"), makeText("span", "mgw-title-call", model.get("title")));
  const cards = model.get("cards");
  const graph = makeGraph(model.get("svg"), cards, model.get("label"));
  const card = make("div", { class: "mgw-card", "aria-live": "polite" });
  frame.append(bar, make("div", { class: "mgw-columns" }, graph.column, card));

  const show = (id) => {
    for (const each of graph.boxes) each.classList.toggle("mgw-chosen", each.dataset.box === id);
    for (const arrow of graph.graph.querySelectorAll("[data-arrow]")) {
      arrow.classList.toggle("mgw-near", arrow.dataset.arrow.startsWith(`${id}-`));
    }
    paintCard(card, cards[id]);
  };
  for (const each of graph.boxes) {
    each.addEventListener("pointerenter", () => show(each.dataset.box));
    each.addEventListener("focus", () => show(each.dataset.box));
  }
  root.addEventListener("keydown", (event) => {
    const at = event.target.closest?.("[data-box]");
    if (!at || !event.key.startsWith("Arrow")) return;
    graph.rove(at, event.key);
    event.preventDefault();
    event.stopPropagation();
  });
  show(model.get("first"));
  return onResize(graph.pane, graph.size);
}

export default { render };
