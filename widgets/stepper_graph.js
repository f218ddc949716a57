// The graph of a stepper: what a step lights, and what the steps before it have left there. A closed
// group stands for all that is in it.

const SMALL_LETTER = 6.35; // the width of a letter on an arrow, as in picture.py
const MOST_NAMED = 12; // letters of the names of several outputs, as in folding.py

// In a long run almost nothing changes in a step: what is written again as it was costs the most.
function setOnce(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// The graph in its pane: never larger than drawn, never smaller than can be read; then it scrolls.
function makePane(label) {
  const pane = make("div", { class: "mgw-pane" });
  const fit = keepKeys(make("button", { type: "button", class: "mgw-small mgw-fit", "aria-pressed": "false" }, "Fit"));
  fit.title = "Show the whole graph";
  let graph = null;
  let items = []; // boxes and names of frames, as the keys go through them
  const size = () => {
    const whole = fit.getAttribute("aria-pressed") === "true";
    const room = pane.clientWidth;
    const [width, height] = ["width", "height"].map((name) => Number(graph.getAttribute(name)));
    const share = whole ? Math.min(room / width, 560 / height) : Math.max(room / width, SMALLEST);
    graph.style.width = `${Math.floor(width * Math.min(share, 1))}px`;
    fit.hidden = !whole && width * SMALLEST <= room && height * Math.min(share, 1) <= 640;
  };
  fit.onclick = () => {
    fit.setAttribute("aria-pressed", String(fit.getAttribute("aria-pressed") !== "true"));
    size();
  };
  const find = (id) => graph.querySelector(`[data-box="${CSS.escape(id)}"], [data-frame="${CSS.escape(id)}"]`);
  const reveal = (id) => {
    const view = pane.getBoundingClientRect();
    const at = find(id)?.getBoundingClientRect();
    if (!at || (at.top >= view.top && at.bottom <= view.bottom && at.left >= view.left && at.right <= view.right)) return;
    pane.scrollTop += at.top - view.top - (view.height - at.height) / 2;
    pane.scrollLeft += at.left - view.left - (view.width - at.width) / 2;
  };
  // Roving: one item is in the tab order.
  const rove = (to) => {
    for (const each of items) each.setAttribute("tabindex", each === to ? "0" : "-1");
  };
  return {
    pane, fit, size, find, reveal,
    graph: () => graph,
    next: (from, by) => items[items.indexOf(from) + by],
    items: () => items,
    load: (svg, inOrder) => {
      pane.innerHTML = svg;
      graph = pane.firstElementChild;
      graph.setAttribute("aria-label", label);
      items = inOrder([...graph.querySelectorAll("[data-box], [data-frame]")]);
      rove(items.find((each) => each.dataset.box));
      size();
    },
    go: (to) => {
      if (!to) return;
      rove(to);
      to.focus();
    },
  };
}

// `load()` takes up another picture, `paint(step, now)` a step of it.
function makeGraphPainter(model, pane, opened, folds) {
  const cards = model.get("cards");
  const complete = model.get("complete");
  const last = model.get("last");
  const forward = model.get("kind") === "forward";
  let boxes = []; // { id, element, badge, ends }
  let arrows = []; // { element, several, back, text }
  let begins = {}; // the first step at each box that is seen
  let at = new Map(); // the box at which each value is seen
  const seen = (id) => {
    if (!at.has(id)) at.set(id, folds.seenAt(id));
    return at.get(id);
  };
  const load = () => {
    const graph = pane.graph();
    boxes = [...graph.querySelectorAll("[data-box]")].map((element) => {
      const id = element.dataset.box;
      return { id, element, badge: element.querySelector(".mgw-badge"), ends: cards[id]?.ends ?? null };
    });
    arrows = [...graph.querySelectorAll("[data-arrow]")].map((element) => ({
      element,
      several: (element.dataset.several ?? element.dataset.arrow).split(" "),
      back: element.querySelector(".mgw-back"),
      text: element.querySelector(".mgw-label text"),
    }));
    at = new Map();
    begins = Object.fromEntries(opened.steps.map((each, i) => [seen(each.box), i]).reverse());
  };
  const waits = (id, step) => forward && begins[id] > step;
  const write = (text, label) => {
    if (!text || label === undefined || text.textContent === label) return;
    text.textContent = label;
    const rect = text.previousElementSibling;
    const width = label.length * SMALL_LETTER + 10;
    rect.setAttribute("width", width);
    rect.setAttribute("x", Number(text.getAttribute("x")) - width / 2);
  };
  // The gradient in a box; of a group that of its output, or of several their names.
  const badgeOf = ({ id, ends }, badges) => {
    const found = (ends ?? [id]).filter((each) => badges[each]);
    if (found.length < 2) return badges[found[0]] ?? "";
    const names = found.map((each) => cards[each].name).join(", ");
    const text = makeText("text", "mgw-g", `g of ${names.length <= MOST_NAMED ? names : `${found.length} outputs`}`);
    text.setAttribute("y", "12");
    text.setAttribute("text-anchor", "end");
    return text.outerHTML;
  };
  const toldOf = ({ id, ends }, told) => {
    const found = (ends ?? [id]).filter((each) => told[each]);
    return found.map((each) => `, ${found.length > 1 ? `${cards[each].name}: ` : ""}${told[each]}`).join("");
  };
  const paint = (step, now) => {
    const before = opened.steps.slice(0, step + 1);
    const past = new Set(before.slice(1, step).map((each) => seen(each.box)));
    const sent = new Set(before.slice(1, step).flatMap((each) => each.arrows));
    const active = new Set(now.arrows);
    const [badges, told, labels] = [{}, {}, {}];
    for (const each of before) {
      Object.assign(badges, each.badges);
      Object.assign(told, each.told);
      Object.assign(labels, each.labels);
    }
    const here = now.box && seen(now.box);
    const parts = {}; // that come to each box from elsewhere
    for (const id of now.targets) parts[seen(id)] = (parts[seen(id)] ?? 0) + (now.parts[id] ?? 0);
    delete parts[here];
    for (const each of boxes) {
      const { id, element } = each;
      const group = each.ends !== null;
      const whole = !group && id in complete && badges[id] !== undefined && complete[id] <= step;
      const target = id in parts && !(whole && step === last);
      const done = group ? complete[id] < step : past.has(id) || (whole && !target);
      element.classList.toggle("mgw-now", id === here);
      element.classList.toggle("mgw-target", target);
      element.classList.toggle("mgw-waiting", waits(id, step));
      element.classList.toggle("mgw-done", done);
      const coming = parts[id] ? `, receives ${parts[id] === 1 ? "a part" : `${parts[id]} parts`} now` : "";
      const stepping = step && id === here ? `, ${group ? "a step inside" : "its step"} now` : "";
      const waiting = waits(id, step) ? ", not computed yet" : "";
      setOnce(element, "aria-label", `${cards[id].label}${waiting}${toldOf(each, told)}${coming}${stepping}`);
      const badge = badgeOf(each, badges);
      if (each.badge.dataset.of !== badge) {
        each.badge.innerHTML = badge;
        each.badge.dataset.of = badge;
      }
    }
    for (const { element, several, back, text } of arrows) {
      const runs = several.some((key) => active.has(key));
      if (forward) {
        element.classList.toggle("mgw-runs", runs);
        element.classList.toggle("mgw-waiting", waits(element.dataset.head, step));
        continue;
      }
      element.classList.toggle("mgw-active", runs);
      element.classList.toggle("mgw-sent", several.some((key) => sent.has(key)));
      if (several.length === 1) write(text, labels[several[0]]);
      if (back) setOnce(back, "marker-end", `url(#${pane.graph().id}-${runs ? "active" : "sent"})`);
    }
  };
  return { load, paint, seen, waits };
}
