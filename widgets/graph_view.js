// The graph of a run: point at a box, or go there with the keyboard, and its card shows. Groups open
// and close.

const MOST_MEASURED = 60; // cards: of more, the room grows as they are seen

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Graph of ${model.get("title")}`);
  root.classList.add("mgw-view");
  const cards = () => model.get("cards");
  const told = make("div", { class: "mgw-told", role: "status" }); // one line for who hears the page
  const announce = (text) => { told.textContent = text; };
  const pane = make("div", { class: "mgw-pane mgw-pannable" });
  const card = makeScroller(make("div", { class: "mgw-card" }), "About the value");
  const percent = make("span", { class: "mgw-percent" });
  const stage = makeStage(pane);
  const zoom = makeZoom(pane, (scale) => {
    percent.textContent = `${Math.round(scale * 100)}%`;
    stage.zoomed(scale);
  });

  const button = (text, title, act) => {
    const element = keepKeys(make("button", { type: "button", class: "mgw-small", title, "aria-label": title }, text));
    element.onclick = act;
    return element;
  };
  let svg = null;
  let items = []; // boxes and titles of frames, in the order in which the keys go through them
  let shown = model.get("first");

  // What is seen.
  const itemOf = stage.item;
  const standsFor = (id) => { // the box of a value, or of the closed group that hides it
    const seen = folds.seenAt(id);
    return seen && itemOf(seen)?.dataset.box ? seen : null;
  };
  const index = new Map(model.get("index").map((entry) => [entry[0], entry]));
  const lit = new Map(); // what has a class now, by the class
  const light = (name, elements) => {
    for (const each of lit.get(name) ?? []) each.classList.remove(name);
    for (const each of elements) each.classList.add(name);
    lit.set(name, elements);
  };
  const show = (id) => {
    const seen = standsFor(id) ?? (folds.groups[id] ? id : null);
    const item = seen && itemOf(seen);
    light("mgw-chosen", item ? [item] : []);
    light("mgw-near", item?.dataset.box ? stage.arrows(seen) : []);
    shown = id;
    const about = cards()[id];
    const above = seen && seen !== id ? `Inside ${folds.nameOf(seen)}, which is closed` : "";
    if (about) paintCard(card, about, { above });
    else card.replaceChildren(makeText("div", "mgw-aside", above), makeText("h4", "", index.get(id)?.[1] ?? ""));
    grow(card);
    reachIfItScrolls(card);
    announce([about?.name, card.querySelector("h4").textContent, above].filter(Boolean).join(": "));
  };
  // The card keeps the room of the tallest, so that nothing below it jumps. At one width it only grows.
  const grow = (element) => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    if (height > Number.parseFloat(card.style.minHeight || 0)) card.style.minHeight = `${height}px`;
  };
  const measure = () => {
    card.style.minHeight = "";
    const ruler = make("div", { class: "mgw-card" });
    card.after(ruler);
    for (const about of Object.values(cards()).slice(0, MOST_MEASURED)) {
      paintCard(ruler, about);
      grow(ruler);
    }
    ruler.remove();
  };
  let reached = null; // the item in the tab order
  const rove = (to, focus = true) => {
    reached?.setAttribute("tabindex", "-1");
    reached = to;
    to.setAttribute("tabindex", "0");
    stage.pin(to);
    if (focus) to.focus({ preventScroll: true });
  };
  const reveal = stage.reveal;
  const paint = (view, then) => {
    lit.clear();
    svg = stage.load(view.svg);
    svg.setAttribute("aria-label", model.get("label"));
    items = folds.inOrder(stage.items());
    reached = null;
    rove(items.find((each) => each.dataset.box), false);
    zoom.show(svg);
    const item = then && itemOf(then);
    if (item) {
      rove(item);
      reveal(item);
    }
    show(item ? then : standsFor(shown) || folds.groups[shown] ? shown : model.get("first"));
    search.repaint();
  };
  const folds = makeFolds(model, frame, { paint, announce });

  const search = makeSearch(model.get("index"), {
    paint: (ids, current) => {
      if (!svg) return;
      const found = new Set([...ids].map(standsFor).filter(Boolean));
      light("mgw-hit-box", [...found].map(itemOf));
      const seen = current && standsFor(current);
      light("mgw-hit-now", seen ? [itemOf(seen)] : []);
    },
    go: ([id]) => {
      const seen = standsFor(id);
      if (!seen) return;
      rove(itemOf(seen), false);
      reveal(itemOf(seen));
      show(id);
    },
  });
  const name = `graph of ${model.get("title")}`.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "");
  const tools = make(
    "div", { class: "mgw-tools" }, search.element, folds.openAll, folds.closeAll,
    make("span", { class: "mgw-zoom", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out (key -)", () => zoom.by(1 / ZOOM_STEP)), percent,
      button("+", "Zoom in (key +)", () => zoom.by(ZOOM_STEP)),
      button("Width", "Fit to the width (key 0)", () => zoom.fit()),
      button("Whole", "Show the whole graph", () => zoom.whole())),
    makeDownload(root, model.get("styles"), name, () => stage.parse(folds.svg()), announce),
  );
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Graph"), makeText("span", "mgw-title-call", model.get("title")), folds.hides, tools);
  const column = make("div", { class: "mgw-graph-column" }, pane);
  frame.append(bar, folds.notice, make("div", { class: "mgw-columns" }, column, make("div", { class: "mgw-card-column" }, card)), told);

  const over = (event) => {
    const item = event.target.closest?.("[data-box], [data-frame]");
    if (item && idOf(item) !== shown && !pane.classList.contains("mgw-dragging")) show(idOf(item));
  };
  pane.addEventListener("pointerover", over);
  pane.addEventListener("focusin", (event) => {
    over(event);
    if (event.target.matches(":focus-visible")) reveal(event.target);
  });
  pane.addEventListener("click", (event) => {
    const item = event.target.closest?.("[data-box], [data-frame]");
    if (!item || zoom.dragged) return;
    rove(item);
    if (folds.groups[idOf(item)]) folds.toggle(idOf(item));
  });
  const moves = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
  const zooms = { "+": () => zoom.by(ZOOM_STEP), "=": () => zoom.by(ZOOM_STEP), "-": () => zoom.by(1 / ZOOM_STEP), 0: () => zoom.fit() };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
    const at = event.target.closest?.("[data-box], [data-frame]");
    if (at && moves[event.key]) {
      const to = items[items.indexOf(at) + moves[event.key]];
      if (to) {
        rove(to);
        reveal(to);
      }
    } else if (at && (event.key === "Enter" || event.key === " ") && folds.groups[idOf(at)]) folds.toggle(idOf(at));
    else if (zooms[event.key]) zooms[event.key]();
    else if (event.key === "/") search.field.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  folds.start();
  let begun = false;
  const unwatch = onResize(pane, () => {
    zoom.size();
    measure();
    show(shown);
    if (!begun && pane.clientWidth) reveal(items[0]);
    begun = begun || pane.clientWidth > 0;
  });
  return () => {
    unwatch();
    folds.stop();
  };
}

export default { render };
