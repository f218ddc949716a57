// A run, or its backward pass, step by step. Every step travelled here already: stepping needs no
// kernel. `step` is 0 before the first step, then the number of the step, here and in the kernel.

const PLAY_MS = 1600;
const MOST_DOTS = 24;
const MOST_KEPT = 60;
const SMALL_LETTER = 6.35; // the width of a letter on an arrow, as in picture.py
const MOST_MEASURED = 300; // of a long run; a taller step after them makes room when it comes
const MEASURING_MS = 60; // at once; the rest of the cards when the page has time
const SCROLL_BAR = 24; // a width that changes by no more is that of a scroll bar
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2.5 13 8l-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M5 3v10l7-5z",
  last: "M11 3h2v10h-2zM3 3v10l7-5z",
};

function makeButton(name, title, act) {
  const button = makeHTML("button", "mgw-button", `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`);
  keepKeys(button).type = "button";
  button.dataset.button = name;
  button.title = title;
  button.setAttribute("aria-label", title);
  button.onclick = act;
  return button;
}

// The rail of steps: dots to look at, and over them a real slider to grab and to reach by keyboard.
function makeRail(last, label, act) {
  const slider = keepKeys(make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": label }));
  const track = make("span", { class: "mgw-track", "aria-hidden": "true" }, make("i"), make("b"));
  const at = (step) => `calc(8px + ${last ? step / last : 0} * (100% - 16px))`;
  const dots = last <= MOST_DOTS ? [...Array(last + 1).keys()] : [];
  for (const step of dots) track.append(make("u", { style: `left:${at(step)}` }));
  track.append(make("em"));
  slider.oninput = () => act(Number(slider.value));
  const paint = (step, words) => {
    slider.value = step;
    slider.setAttribute("aria-valuetext", words);
    track.querySelector("b").style.width = at(step);
    track.querySelector("em").style.left = at(step);
    track.querySelectorAll("u").forEach((dot, i) => dot.classList.toggle("mgw-past", i < step));
  };
  return { element: make("span", { class: "mgw-rail" }, slider, track), paint };
}

function makeProgram(lines) {
  const listing = makeScroller(make("pre", { class: "mgw-listing" }), "Program");
  const digits = String(Math.max(0, ...lines.map((line) => line.number))).length;
  let margin = 0;
  lines.forEach((line, i) => {
    if (i === 0 || line.begins) { // a function of its own, with a margin of its own
      const end = lines.findIndex((other, j) => j > i && other.begins);
      const own = lines.slice(i, end < 0 ? lines.length : end).filter((l) => l.text.trim());
      margin = own.length ? Math.min(...own.map((l) => l.text.search(/\S/))) : 0;
    }
    const number = makeText("span", "mgw-number", String(line.number).padStart(digits));
    const code = makeText("code", "", line.text.slice(margin) || " ");
    const hang = `${code.textContent.search(/\S|$/) + 4}ch`; // a long line goes on indented
    code.style.paddingLeft = hang;
    code.style.textIndent = `-${hang}`;
    listing.append(make("span", { class: `mgw-line${i && line.begins ? " mgw-begins" : ""}` }, number, code));
  });
  const column = make("div", { class: "mgw-program" }, makeText("h4", "", "Program"));
  column.append(lines.length ? listing : makeText("div", "mgw-aside", "The source is not to be had."));
  return { column, listing, lines: [...listing.children] };
}

// What is kept for the backward pass. Of a long list only what is around the step is in the page.
function makeKept(kept, forward) {
  const makeItem = (item) => {
    const entry = makeHTML("li", "", item.label);
    entry.append(" ", makeText("span", "mgw-aside", `${item.size}, ${item.for}`));
    return entry;
  };
  const long = kept.length > MOST_KEPT;
  const items = long ? [] : kept.map(makeItem);
  const ul = make("ul", {}, ...items);
  const above = makeText("div", "mgw-aside", "");
  const list = makeScroller(make("div", { class: "mgw-kept-list" }, above, ul), "Kept for backward");
  const column = make("div", { class: "mgw-kept" });
  if (kept.length) column.append(makeText("h4", "", "Kept for backward"), list);
  const kindAt = ({ steps }, step) => {
    if (steps.includes(step)) return "mgw-now";
    if (forward) return steps[0] > step ? "mgw-not-yet" : "";
    return steps.at(-1) < step ? "mgw-freed" : "";
  };
  let from = 0;
  const paint = (step) => {
    const kinds = kept.map((item) => kindAt(item, step));
    const wanted = kinds.indexOf("mgw-now");
    if (long) {
      if (wanted >= 0 || !items.length) from = Math.max(0, Math.min(wanted - MOST_KEPT / 4, kept.length - MOST_KEPT / 2));
      items.splice(0, items.length, ...kept.slice(from, from + MOST_KEPT / 2).map(makeItem));
      ul.replaceChildren(...items);
      above.textContent = `${from + 1} to ${from + items.length} of ${kept.length.toLocaleString("en")}`;
    }
    items.forEach((item, i) => {
      if (item.className !== kinds[from + i]) item.className = kinds[from + i];
    });
    if (wanted >= 0) scrollTo(list, items[wanted - from]);
  };
  return { column, list, paint };
}

// Scroll `element` within `pane`, and nothing else, until it is in view.
function scrollTo(pane, element) {
  const view = pane.getBoundingClientRect();
  const at = element.getBoundingClientRect();
  if (at.top < view.top) pane.scrollTop -= view.top - at.top + 24;
  else if (at.bottom > view.bottom) pane.scrollTop += at.bottom - view.bottom + 24;
}

// In a long run almost nothing changes in a step: what is written again as it was costs the most.
function setOnce(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// The graph: what a step lights, and what the steps before it have left there.
function makeGraphPainter(model, graph, opened, forward) {
  const cards = model.get("cards");
  const complete = model.get("complete");
  const last = model.get("last");
  const arrows = [...graph.graph.querySelectorAll("[data-arrow]")];
  const headOf = (arrow) => arrow.dataset.arrow.split("-")[0];
  let begins = null; // when each box is first there, in a run
  const firstSteps = () => {
    begins ??= Object.fromEntries(opened.steps.map((each, i) => [each.box, i]).reverse());
    return begins;
  };
  const write = (arrow, label) => {
    const text = arrow.querySelector(".mgw-label text");
    if (!text || label === undefined || text.textContent === label) return;
    text.textContent = label;
    const rect = text.previousElementSibling;
    const width = label.length * SMALL_LETTER + 10;
    rect.setAttribute("width", width);
    rect.setAttribute("x", Number(text.getAttribute("x")) - width / 2);
  };
  return (step, now) => {
    const before = opened.steps.slice(0, step + 1);
    const past = new Set(before.slice(1, step).map((each) => each.box));
    const sent = new Set(before.slice(1, step).flatMap((each) => each.arrows));
    const [badges, told, labels] = [{}, {}, {}];
    for (const each of before) {
      Object.assign(badges, each.badges);
      Object.assign(told, each.told);
      Object.assign(labels, each.labels);
    }
    const waits = (id) => forward && firstSteps()[id] > step;
    for (const each of graph.boxes) {
      const id = each.dataset.box;
      const whole = id in complete && badges[id] !== undefined && complete[id] <= step;
      const target = now.targets.includes(id) && !(whole && step === last);
      each.classList.toggle("mgw-now", id === now.box);
      each.classList.toggle("mgw-target", target);
      each.classList.toggle("mgw-waiting", waits(id));
      each.classList.toggle("mgw-done", past.has(id) || (whole && !target));
      const coming = now.parts[id] ? `, receives ${now.parts[id] === 1 ? "a part" : `${now.parts[id]} parts`} now` : "";
      const active = step && id === now.box ? ", its step now" : "";
      const waiting = waits(id) ? ", not computed yet" : "";
      setOnce(each, "aria-label", `${cards[id].label}${waiting}${told[id] ? `, ${told[id]}` : ""}${coming}${active}`);
      const badge = each.querySelector(".mgw-badge");
      if (badge.dataset.of !== (badges[id] || "")) {
        badge.innerHTML = badges[id] || "";
        badge.dataset.of = badges[id] || "";
      }
    }
    for (const arrow of arrows) {
      const key = arrow.dataset.arrow;
      const active = now.arrows.includes(key);
      if (forward) {
        arrow.classList.toggle("mgw-runs", active);
        arrow.classList.toggle("mgw-waiting", waits(headOf(arrow)));
        continue;
      }
      const back = arrow.querySelector(".mgw-back");
      arrow.classList.toggle("mgw-active", active);
      arrow.classList.toggle("mgw-sent", sent.has(key));
      write(arrow, labels[key]);
      if (back) setOnce(back, "marker-end", `url(#${graph.graph.id}-${active ? "active" : "sent"})`);
    }
  };
}

function render({ model, el }) {
  const cards = model.get("cards");
  const last = model.get("last");
  const forward = model.get("kind") === "forward";
  const heading = model.get("heading");
  const asking = Boolean(model.get("quiz").salt);
  const opened = makeOpened(model);
  const furthest = () => opened.question?.number ?? last;
  const { root, frame } = makeRoot(el, `${heading} of ${model.get("title")}, ${last} steps`);
  root.classList.add("mgw-stepper", `mgw-${model.get("kind")}`);

  const focused = () => root.getRootNode().activeElement; // marimo keeps a widget in a shadow tree
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    paintPlay();
  };
  const go = (step) => {
    const to = Math.max(0, Math.min(furthest(), step));
    peeked = null; // who steps wants to see the step
    if (to === model.get("step")) return paint();
    model.set("step", to);
    model.save_changes();
  };
  const move = (step) => {
    if (timer) stop();
    const inside = root.contains(focused());
    go(step);
    if (!inside || !panel) return;
    if (opened.question?.number === model.get("step")) panel.focus();
    else if (!root.contains(focused()) || focused().closest("[hidden]")) rail.element.querySelector("input").focus();
  };
  const play = () => {
    if (timer) return stop();
    if (!last) return;
    if (model.get("step") === furthest()) go(0);
    timer = setInterval(() => {
      go(model.get("step") + 1);
      if (model.get("step") === furthest()) stop();
    }, PLAY_MS);
    paintPlay();
  };

  const buttons = {
    first: makeButton("first", "First (Home)", () => move(0)),
    back: makeButton("back", "Back (left arrow)", () => move(model.get("step") - 1)),
    play: makeButton("play", "Play (space)", play),
    next: makeButton("next", "Next (right arrow)", () => move(model.get("step") + 1)),
    last: makeButton("last", asking ? "To the next question (End)" : "Last (End)", () => move(furthest())),
  };
  const paintPlay = () => {
    const words = timer ? "Pause (space)" : "Play (space)";
    buttons.play.querySelector("path").setAttribute("d", ICONS[timer ? "pause" : "play"]);
    buttons.play.title = words;
    buttons.play.setAttribute("aria-label", words);
  };
  const rail = makeRail(last, `Step of the ${heading.toLowerCase()}`, move);
  const counter = make("span", { class: "mgw-counter" });
  const score = makeText("span", "mgw-score", "");
  const controls = make("div", { class: "mgw-controls" }, ...Object.values(buttons), rail.element, counter);
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", heading), makeText("span", "mgw-title-call", model.get("title")), ...(asking ? [score] : []), controls);
  const program = makeProgram(model.get("program"));
  const keeping = makeKept(model.get("kept"), forward);
  const graph = makeGraph(model.get("svg"), model.get("label"));
  graph.column.prepend(makeText("h4", "", "Graph"));
  for (const title of graph.graph.querySelectorAll("[data-frame]")) { // groups stay as they are here
    title.removeAttribute("role");
    title.removeAttribute("aria-label");
  }
  const card = makeScroller(make("div", { class: "mgw-card" }), "The step in numbers");
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  const panel = asking ? makePanel(model, opened, { goOn: () => buttons.next.focus() }) : null;
  frame.append(
    make("div", { class: "mgw-head" }, bar, sentence, ...(panel ? [panel.panel] : [])),
    make("div", { class: "mgw-columns" }, program.column, keeping.column, graph.column, make("div", { class: "mgw-card-column" }, card)),
  );

  // A step as it is shown; a step that is asked for shows what it is given, and not what it sends.
  const stepAt = (step) => {
    const { question } = opened;
    if (opened.steps[step] || !question) return opened.steps[Math.min(step, opened.steps.length - 1)];
    return { ...question, targets: [question.target], arrows: [], badges: {}, told: {}, parts: {}, gradients: {}, sentence: question.prompt };
  };
  const paintGraph = makeGraphPainter(model, graph, opened, forward);
  let peeked = null; // the box that is pointed at or has the focus: its card shows instead
  let rove = () => {};
  const fill = (host, data) => {
    paintCard(host, data);
    return addTraces(host, data);
  };
  const paintTheCard = () => {
    const step = model.get("step");
    card.classList.toggle("mgw-peek", Boolean(peeked));
    for (const each of graph.boxes) each.classList.toggle("mgw-chosen", each.dataset.box === peeked);
    if (peeked) {
      const found = opened.steps.slice(0, step + 1).map((each) => each.gradients[peeked]).filter(Boolean);
      const waits = forward && opened.steps.findIndex((each) => each.box === peeked) > step;
      const rows = waits ? [] : [...cards[peeked].rows, ...found.slice(-1)];
      paintCard(card, { ...cards[peeked], rows }, { above: waits ? `${cards[peeked].name} is not computed yet` : `Looking at ${cards[peeked].name}` });
    } else rove = fill(card, stepAt(step).card);
    reachIfItScrolls(card);
  };
  const paint = () => {
    opened.update();
    const step = Math.min(model.get("step"), furthest());
    const now = stepAt(step);
    counter.textContent = `${step} of ${last}`;
    rail.paint(step, step ? `step ${step} of ${last}` : "before the first step");
    // Not `disabled`: a button that loses the focus would leave the keyboard nowhere.
    for (const [name, off] of [["first", step === 0], ["back", step === 0], ["play", !last], ["next", step === furthest()], ["last", step === furthest()]]) {
      buttons[name].setAttribute("aria-disabled", String(off));
    }
    program.lines.forEach((line, i) => {
      line.classList.toggle("mgw-now", i === now.line);
      if (i === now.line) setOnce(line, "aria-current", "true");
      else line.removeAttribute("aria-current");
      if (i === now.line) scrollTo(program.listing, line);
    });
    keeping.paint(step);
    paintGraph(step, now);
    paintTheCard();
    if (sentence.dataset.of !== now.sentence) {
      sentence.innerHTML = now.sentence;
      sentence.dataset.of = now.sentence;
    }
    panel?.paint(step);
    if (panel) score.textContent = panel.score();
    for (const each of [card, sentence]) grow(each, each.offsetHeight);
    if (now.box) graph.reveal(now.box);
  };

  // Give sentence and card the room of the tallest step, so that nothing jumps: all sentences at
  // once, the cards as there is time. At one width the room only grows. What measures is gone before
  // anything is drawn.
  let round = 0;
  let measuredAt = -Infinity;
  const grow = (element, height) => {
    if (height > Number.parseFloat(element.style.minHeight || 0)) element.style.minHeight = `${height}px`;
  };
  const measureSentences = () => {
    const longest = opened.steps.map((each) => each.sentence).sort((a, b) => b.length - a.length);
    const rulers = longest.slice(0, MOST_MEASURED).map((each) => makeHTML("div", "mgw-sentence", each));
    sentence.after(...rulers);
    grow(sentence, Math.max(...rulers.map((each) => each.offsetHeight)));
    for (const each of rulers) each.remove();
  };
  const measureCards = (from, mine, room) => {
    if (mine !== round) return;
    const last = Math.min(opened.steps.length, MOST_MEASURED);
    const ruler = make("div", { class: "mgw-card" });
    const until = performance.now() + room;
    let at = from;
    card.after(ruler);
    do {
      fill(ruler, opened.steps[at].card);
      grow(card, ruler.offsetHeight);
      at += 1;
    } while (at < last && performance.now() < until);
    ruler.remove();
    if (at === last) return;
    const goOn = (deadline) => measureCards(at, mine, deadline?.timeRemaining() ?? MEASURING_MS / 4);
    if (window.requestIdleCallback) requestIdleCallback(goOn);
    else setTimeout(goOn);
  };
  const measure = () => {
    if (Math.abs(frame.clientWidth - measuredAt) > SCROLL_BAR) {
      measuredAt = frame.clientWidth;
      card.style.minHeight = sentence.style.minHeight = "";
    }
    round += 1;
    measureSentences();
    measureCards(0, round, MEASURING_MS);
    graph.size();
    paint();
    for (const each of [program.listing, keeping.list]) reachIfItScrolls(each);
  };

  for (const each of graph.boxes) {
    const peek = () => { peeked = each.dataset.box; paintTheCard(); };
    const leave = () => { peeked = null; paintTheCard(); };
    each.addEventListener("pointerenter", peek);
    each.addEventListener("pointerleave", leave);
    each.addEventListener("focus", peek);
    each.addEventListener("blur", leave);
  }
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target === panel?.field && (event.target.value || !/^Arrow/.test(event.key))) { // it is being written
      event.stopPropagation();
      return;
    }
    const box = event.target.closest?.("[data-box]");
    const entry = event.target.closest?.("[data-entry]");
    const keys = {
      ArrowRight: () => move(model.get("step") + 1),
      ArrowLeft: () => move(model.get("step") - 1),
      Home: () => move(0),
      End: () => move(furthest()),
    };
    const vertical = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (vertical && box) graph.rove(box, vertical);
    else if (vertical && entry) rove(entry, vertical);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  model.on("change:step", paint);
  model.on("change:given", paint);
  paint();
  const unwatch = onResize(frame, measure);
  return () => {
    stop();
    round += 1; // no more measuring
    unwatch();
    panel?.stop();
    model.off("change:step", paint);
    model.off("change:given", paint);
  };
}

export default { render };
