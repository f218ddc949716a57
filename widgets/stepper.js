// A run, or its backward pass, step by step. Every step travelled here already: stepping needs no
// kernel. `step` is 0 before the first step, then the number of the step, here and in the kernel.

const PLAY_MS = 1600;
const MOST_DOTS = 24;
const MOST_KEPT = 60;
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

function makeProgram(program) {
  const { element, listing, lines } = makeListing(program, "Program");
  return { column: make("div", { class: "mgw-program" }, makeText("h4", "", "Program"), element), listing, lines };
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
  const told = make("div", { class: "mgw-told", role: "status" }); // of groups that open and close
  const pane = makePane(model.get("label"));
  const folds = makeFolds(model, frame, {
    announce: (text) => { told.textContent = text; },
    paint: (view, then) => {
      pane.load(view.svg, folds.inOrder);
      graph.load();
      peeked = null;
      paint();
      if (!then) return;
      pane.go(pane.find(then));
      pane.reveal(then);
    },
  });
  const graph = makeGraphPainter(model, pane, opened, folds);
  const graphHead = make("div", { class: "mgw-graph-head" }, makeText("h4", "", "Graph"), folds.hides, folds.openAll, folds.closeAll, pane.fit);
  const graphColumn = make("div", { class: "mgw-graph-column" }, graphHead, folds.notice, pane.pane);
  const card = makeScroller(make("div", { class: "mgw-card" }), "The step in numbers");
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  const panel = asking ? makePanel(model, opened, { goOn: () => buttons.next.focus() }) : null;
  const columns = make("div", { class: "mgw-columns" }, program.column, keeping.column, graphColumn, make("div", { class: "mgw-card-column" }, card));
  frame.append(make("div", { class: "mgw-head" }, bar, sentence, ...(panel ? [panel.panel] : [])), columns, told);

  // A step as it is shown; a step that is asked for shows what it is given, and not what it sends.
  const stepAt = (step) => {
    const { question } = opened;
    if (opened.steps[step] || !question) return opened.steps[Math.min(step, opened.steps.length - 1)];
    return { ...question, targets: [question.target], arrows: [], badges: {}, told: {}, parts: {}, gradients: {}, sentence: question.prompt };
  };
  let peeked = null; // the box that is pointed at or has the focus: its card shows instead
  let rove = () => {};
  // Where a step lies that is in a closed group.
  const aboveOf = (data) => {
    const seen = data.box && graph.seen(data.box);
    return folds.groups[seen] ? `Inside ${folds.nameOf(seen)}, which is closed` : "";
  };
  const fill = (host, data) => {
    paintCard(host, data.card, { above: aboveOf(data) });
    return addTraces(host, data.card);
  };
  const paintTheCard = () => {
    const step = model.get("step");
    card.classList.toggle("mgw-peek", Boolean(peeked));
    for (const each of pane.items()) each.classList.toggle("mgw-chosen", idOf(each) === peeked);
    if (peeked) {
      const about = cards[peeked];
      const waits = graph.waits(peeked, step);
      const before = opened.steps.slice(0, step + 1);
      const found = (about.gradients ?? [peeked]).flatMap((id) => before.map((each) => each.gradients[id]).filter(Boolean).slice(-1));
      const rows = waits ? [] : [...about.rows, ...found];
      paintCard(card, { ...about, rows }, { above: waits ? `${about.name} is not computed yet` : `Looking at ${about.name}` });
    } else rove = fill(card, stepAt(step));
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
    graph.paint(step, now);
    paintTheCard();
    if (sentence.dataset.of !== now.sentence) {
      sentence.innerHTML = now.sentence;
      sentence.dataset.of = now.sentence;
    }
    panel?.paint(step);
    if (panel) score.textContent = panel.score();
    if (!oneColumn) for (const each of [card, sentence]) grow(each, each.offsetHeight);
    if (now.box) pane.reveal(graph.seen(now.box));
  };

  // Give sentence and card the room of the tallest step, so that nothing jumps: all sentences at
  // once, the cards as there is time. At one width the room only grows. What measures is gone before
  // anything is drawn. In one column only what is kept stands below the card, and the first and
  // the last sentence, which are long, may push.
  let round = 0;
  let measuredAt = -Infinity;
  let oneColumn = false;
  const grow = (element, height) => {
    if (height > Number.parseFloat(element.style.minHeight || 0)) element.style.minHeight = `${height}px`;
  };
  const measureSentences = () => {
    const steps = oneColumn && opened.steps.length > 2 ? opened.steps.slice(1, -1) : opened.steps;
    const longest = steps.map((each) => each.sentence).sort((a, b) => b.length - a.length);
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
      fill(ruler, opened.steps[at]);
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
    oneColumn = getComputedStyle(columns).gridTemplateColumns.split(" ").length === 1;
    round += 1;
    measureSentences();
    if (oneColumn) card.style.minHeight = "";
    else measureCards(0, round, MEASURING_MS);
    pane.size();
    paint();
    for (const each of [program.listing, keeping.list]) reachIfItScrolls(each);
  };

  const peek = (item) => {
    const id = item ? idOf(item) : null;
    if (id === peeked) return;
    peeked = id;
    paintTheCard();
  };
  const itemAt = (target) => target.closest?.("[data-box], [data-frame]");
  pane.pane.addEventListener("pointerover", (event) => peek(itemAt(event.target)));
  pane.pane.addEventListener("pointerleave", () => peek(null));
  pane.pane.addEventListener("focusin", (event) => peek(itemAt(event.target)));
  pane.pane.addEventListener("focusout", (event) => {
    // Who goes elsewhere leaves it as it is: another height would move what the finger is on.
    if (root.contains(event.relatedTarget)) peek(null);
  });
  pane.pane.addEventListener("click", (event) => {
    const item = itemAt(event.target);
    if (item && folds.groups[idOf(item)]) folds.toggle(idOf(item));
  });
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target === panel?.field && (event.target.value || !/^Arrow/.test(event.key))) { // it is being written
      event.stopPropagation();
      return;
    }
    const item = itemAt(event.target);
    const entry = event.target.closest?.("[data-entry]");
    const keys = {
      ArrowRight: () => move(model.get("step") + 1),
      ArrowLeft: () => move(model.get("step") - 1),
      Home: () => move(0),
      End: () => move(furthest()),
    };
    const vertical = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (vertical && item) pane.go(pane.next(item, vertical));
    else if (vertical && entry) rove(entry, vertical);
    else if ((event.key === "Enter" || event.key === " ") && item && folds.groups[idOf(item)]) folds.toggle(idOf(item));
    else if (event.key === " " && event.target.tagName !== "BUTTON") play();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  model.on("change:step", paint);
  model.on("change:given", paint);
  folds.start();
  const unwatch = onResize(frame, measure);
  return () => {
    stop();
    round += 1; // no more measuring
    unwatch();
    folds.stop();
    panel?.stop();
    model.off("change:step", paint);
    model.off("change:given", paint);
  };
}

export default { render };
