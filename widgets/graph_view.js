// The graph of a run: point at a box, or go there with the keyboard, and its card shows. Groups open
// and close. The kernel lays a picture out when it is first asked for; a page without one has some.

const ANSWER_MS = 15000; // how long a picture may take before the page says that none comes

const keyOf = (opened) => [...opened].sort().join(" ");

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Graph of ${model.get("title")}`);
  root.classList.add("mgw-view");
  const cards = () => model.get("cards");
  const groups = model.get("groups");
  const views = new Map(model.get("views").map((view) => [keyOf(view.opened), view]));
  const keep = () => {
    const view = { opened: model.get("opened"), svg: model.get("svg"), hides: model.get("hides") };
    views.set(keyOf(view.opened), view);
    return view;
  };
  const first = keep();

  const told = make("div", { class: "mgw-told", role: "status" }); // one line for who hears the page
  const announce = (text) => { told.textContent = text; };
  const pane = make("div", { class: "mgw-pane mgw-pannable" });
  const card = makeScroller(make("div", { class: "mgw-card" }), "About the value");
  const hides = make("span", { class: "mgw-hides" });
  const notice = make("div", { class: "mgw-notice", role: "alert" });
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
  let now = first;

  // What is seen.
  const itemOf = stage.item;
  const idOf = (item) => item.dataset.box ?? item.dataset.frame;
  const standsFor = (id) => { // the box of a value, or of the closed group that hides it
    if (itemOf(id)?.dataset.box) return id;
    const entry = index.get(id);
    const path = entry && groups[entry[3]] ? groups[entry[3]].path : [];
    return path.find((key) => itemOf(key)?.dataset.box) ?? null;
  };
  const index = new Map(model.get("index").map((entry) => [entry[0], entry]));
  const lit = new Map(); // what has a class now, by the class
  const light = (name, elements) => {
    for (const each of lit.get(name) ?? []) each.classList.remove(name);
    for (const each of elements) each.classList.add(name);
    lit.set(name, elements);
  };
  const show = (id) => {
    const seen = standsFor(id) ?? (groups[id] ? id : null);
    const item = seen && itemOf(seen);
    light("mgw-chosen", item ? [item] : []);
    light("mgw-near", item?.dataset.box ? stage.arrows(seen) : []);
    shown = id;
    const about = cards()[id];
    const above = seen && seen !== id ? `Inside ${groups[seen].name}, which is closed` : "";
    if (about) paintCard(card, about, { above });
    else card.replaceChildren(makeText("div", "mgw-aside", above), makeText("h4", "", index.get(id)?.[1] ?? ""));
    reachIfItScrolls(card);
    announce([about?.name, card.querySelector("h4").textContent, above].filter(Boolean).join(": "));
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
  // The keys go through the boxes as the run made them; the name of a frame comes before its boxes.
  const place = new Map(model.get("index").map(([id], i) => [id, i]));
  const least = {};
  for (const [id, , , group] of index.values()) {
    for (const key of groups[group]?.path ?? []) least[key] ??= place.get(id);
  }
  const rankOf = (item) => {
    const id = idOf(item);
    const inside = item.dataset.frame ? groups[id].path.length / 1000 - 1 : 0;
    return (place.get(id) ?? least[id] ?? place.size) + inside;
  };
  const paint = (view) => {
    now = view;
    lit.clear();
    svg = stage.load(view.svg);
    svg.setAttribute("aria-label", model.get("label"));
    items = stage.items();
    const rank = new Map(items.map((item) => [item, rankOf(item)]));
    items.sort((a, b) => rank.get(a) - rank.get(b));
    for (const each of items) {
      keepKeys(each).setAttribute("tabindex", "-1");
      const id = idOf(each);
      if (!groups[id]) continue;
      each.setAttribute("role", "button");
      each.setAttribute("aria-expanded", String(Boolean(each.dataset.frame)));
      if (each.dataset.frame) each.setAttribute("aria-label", `${groups[id].name}, group`);
    }
    reached = null;
    rove(items.find((each) => each.dataset.box), false);
    zoom.show(svg);
    hides.textContent = view.hides;
    const any = Object.keys(groups).length > 0;
    openAll.hidden = !any || !view.hides;
    closeAll.hidden = !any || keyOf(view.opened) === keyOf(shut);
    show(standsFor(shown) || groups[shown] ? shown : model.get("first"));
    search.repaint();
  };

  // Opening and closing. `then` is the group that the reader is at.
  let asked = null;
  let timer = null;
  const arrive = (view, then) => {
    clearTimeout(timer);
    asked = null;
    notice.textContent = "";
    frame.removeAttribute("aria-busy");
    paint(view);
    const item = then && itemOf(then);
    if (item) {
      shown = then;
      rove(item);
      reveal(item);
      show(then);
      announce(`${groups[then].name} is ${item.dataset.frame ? "open" : "closed"}. ${view.hides}`);
    } else announce(view.hides || "All groups are open");
  };
  const fail = (text) => {
    clearTimeout(timer);
    asked = null;
    frame.removeAttribute("aria-busy");
    notice.textContent = text;
  };
  const go = (opened, then = null) => {
    const seen = [...opened].filter((key) => groups[key].path.every((each) => opened.has(each)));
    const key = keyOf(seen);
    if (model.get("live")) tell(seen);
    if (views.has(key)) return arrive(views.get(key), then);
    if (!model.get("live")) return goAlone(seen, then);
    asked = { key, then };
    frame.setAttribute("aria-busy", "true");
    announce("Laying the picture out");
    clearTimeout(timer);
    timer = setTimeout(() => fail("No picture came: the kernel is busy or gone. Run the cell again."), ANSWER_MS);
  };
  let last = null; // what the kernel was told last, until it answers
  const tell = (seen) => {
    last = keyOf(seen);
    model.set("wanted", { opened: seen, at: Date.now() });
    model.save_changes();
  };
  // Without a kernel: of the pictures that came along, the one that is nearest.
  const goAlone = (seen, then) => {
    const path = then ? groups[then].path : [];
    const fits = [...views.values()].filter((view) => !then || seen.includes(then) === view.opened.includes(then));
    const visible = fits.filter((view) => path.slice(0, -1).every((key) => view.opened.includes(key)));
    const distance = (view) => view.opened.filter((key) => !seen.includes(key)).length + seen.filter((key) => !view.opened.includes(key)).length;
    const [best] = visible.sort((a, b) => distance(a) - distance(b));
    if (best) arrive(best, then);
    if (!best) notice.textContent = "Without a kernel this picture is not at hand. Open all, or close all.";
    else if (seen.some((key) => !best.opened.includes(key))) {
      notice.textContent = "Without a kernel one group is open at a time: the others were closed.";
    }
  };
  const toggle = (id) => {
    if (asked) return;
    const opened = new Set(now.opened);
    if (!opened.delete(id)) opened.add(id);
    go(opened, id);
  };
  const shut = new Set([...first.opened]);
  const openAll = button("Open all", "Open all groups", () => go(new Set(Object.keys(groups))));
  const closeAll = button("Close", "Close what was opened", () => go(new Set(shut)));

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
    "div", { class: "mgw-tools" }, search.element, openAll, closeAll,
    make("span", { class: "mgw-zoom", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out (key -)", () => zoom.by(1 / ZOOM_STEP)), percent,
      button("+", "Zoom in (key +)", () => zoom.by(ZOOM_STEP)),
      button("Width", "Fit to the width (key 0)", () => zoom.fit()),
      button("Whole", "Show the whole graph", () => zoom.whole())),
    makeDownload(root, model.get("styles"), name, () => stage.parse(now.svg), announce),
  );
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Graph"), makeText("span", "mgw-title-call", model.get("title")), hides, tools);
  const column = make("div", { class: "mgw-graph-column" }, pane);
  frame.append(bar, notice, make("div", { class: "mgw-columns" }, column, make("div", { class: "mgw-card-column" }, card)), told);

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
    if (groups[idOf(item)]) toggle(idOf(item));
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
    } else if (at && (event.key === "Enter" || event.key === " ") && groups[idOf(at)]) toggle(idOf(at));
    else if (zooms[event.key]) zooms[event.key]();
    else if (event.key === "/") search.field.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const onAnswer = () => {
    const view = keep();
    const key = keyOf(view.opened);
    if (last !== null && last !== key) return; // the reader is further already
    last = null;
    if (asked && asked.key === key) arrive(view, asked.then);
    else if (key !== keyOf(now.opened)) arrive(view, null); // the kernel did it by itself
  };
  const onProblem = () => { if (model.get("problem")) fail(model.get("problem")); };
  model.on("change:opened", onAnswer);
  model.on("change:problem", onProblem);
  paint(first);
  let begun = false;
  const unwatch = onResize(pane, () => {
    zoom.size();
    show(shown);
    if (!begun && pane.clientWidth) reveal(items[0]);
    begun = begun || pane.clientWidth > 0;
  });
  return () => {
    clearTimeout(timer);
    unwatch();
    model.off("change:opened", onAnswer);
    model.off("change:problem", onProblem);
  };
}

export default { render };
