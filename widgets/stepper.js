// The backward pass, step by step. Every step travelled here already: stepping needs no kernel.
// `step` is 0 before the sweep, then the number of the step, here and in the kernel.

const PLAY_MS = 1600;
const MOST_DOTS = 24;
const MOST_MEASURED = 60;
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
  button.type = "button";
  button.dataset.button = name;
  button.title = title;
  button.setAttribute("aria-label", title);
  button.onclick = act;
  return button;
}

// The rail of steps: dots to look at, and over them a real slider to grab and to reach by keyboard.
function makeRail(last, act) {
  const slider = make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": "Step of the backward pass" });
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

function makeProgram(lines, kept) {
  const listing = make("pre", { class: "mgw-listing" });
  const digits = lines.length ? String(lines[lines.length - 1].number).length : 1;
  const margin = Math.min(...lines.filter((l) => l.text.trim()).map((l) => l.text.search(/\S/)));
  for (const line of lines) {
    const number = makeText("span", "mgw-number", String(line.number).padStart(digits));
    const code = makeText("code", "", line.text.slice(margin) || " ");
    const hang = `${code.textContent.search(/\S|$/) + 4}ch`; // a long line goes on indented
    code.style.paddingLeft = hang;
    code.style.textIndent = `-${hang}`;
    listing.append(make("span", { class: "mgw-line" }, number, code));
  }
  const column = make("div", { class: "mgw-program" }, makeText("h4", "", "Program"));
  column.append(lines.length ? listing : makeText("div", "mgw-aside", "The source is not to be had."));
  const items = kept.map((item) => {
    const entry = makeHTML("li", "", item.label);
    entry.append(" ", makeText("span", "mgw-aside", `${item.size}, ${item.for}`));
    return entry;
  });
  if (items.length) column.append(makeText("h4", "", "Kept for backward"), make("ul", {}, ...items));
  return { column, lines: [...listing.children], items };
}

function render({ model, el }) {
  const steps = model.get("steps");
  const cards = model.get("cards");
  const kept = model.get("kept");
  const complete = model.get("complete");
  const last = steps.length - 1;
  const { root, frame } = makeRoot(el, `Backward pass of ${model.get("title")}, ${last} steps`);
  root.classList.add("mgw-stepper");

  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    paintPlay();
  };
  const go = (step) => {
    const to = Math.max(0, Math.min(last, step));
    if (to === model.get("step")) return;
    model.set("step", to);
    model.save_changes();
  };
  const move = (step) => {
    if (timer) stop();
    go(step);
  };
  const play = () => {
    if (timer) return stop();
    if (model.get("step") === last) go(0);
    timer = setInterval(() => {
      go(model.get("step") + 1);
      if (model.get("step") === last) stop();
    }, PLAY_MS);
    paintPlay();
  };

  const buttons = {
    first: makeButton("first", "First (Home)", () => move(0)),
    back: makeButton("back", "Back (left arrow)", () => move(model.get("step") - 1)),
    play: makeButton("play", "Play (space)", play),
    next: makeButton("next", "Next (right arrow)", () => move(model.get("step") + 1)),
    last: makeButton("last", "Last (End)", () => move(last)),
  };
  const paintPlay = () => {
    const words = timer ? "Pause (space)" : "Play (space)";
    buttons.play.querySelector("path").setAttribute("d", ICONS[timer ? "pause" : "play"]);
    buttons.play.title = words;
    buttons.play.setAttribute("aria-label", words);
  };
  const rail = makeRail(last, move);
  const counter = make("span", { class: "mgw-counter" });
  const controls = make("div", { class: "mgw-controls" }, ...Object.values(buttons), rail.element, counter);
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Backward pass"), makeText("span", "mgw-title-call", model.get("title")), controls);
  const program = makeProgram(model.get("program"), kept);
  const graph = makeGraph(model.get("svg"), cards, model.get("label"));
  graph.column.prepend(makeText("h4", "", "Graph"));
  const card = make("div", { class: "mgw-card" });
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  frame.append(bar, make("div", { class: "mgw-columns" }, program.column, graph.column, card), sentence);

  let peeked = null; // the box that is pointed at or has the focus: its card shows instead
  const paintTheCard = () => {
    const step = model.get("step");
    card.classList.toggle("mgw-peek", Boolean(peeked));
    for (const each of graph.boxes) each.classList.toggle("mgw-chosen", each.dataset.box === peeked);
    paintCard(card, peeked ? cards[peeked] : steps[step].card, step);
  };
  const paintGraph = (step) => {
    const now = steps[step];
    const past = new Set(steps.slice(1, step).map((each) => each.box));
    const badges = {};
    for (const each of steps.slice(0, step + 1)) Object.assign(badges, each.badges);
    for (const each of graph.boxes) {
      const id = each.dataset.box;
      const target = now.targets.includes(id);
      each.classList.toggle("mgw-now", id === now.box);
      each.classList.toggle("mgw-target", target);
      each.classList.toggle("mgw-done", past.has(id) || (id in complete && badges[id] !== undefined && complete[id] <= step && !target));
      const badge = each.querySelector(".mgw-badge");
      if (badge.dataset.of !== (badges[id] || "")) {
        badge.innerHTML = badges[id] || "";
        badge.dataset.of = badges[id] || "";
      }
    }
    const sent = new Set(steps.slice(1, step).flatMap((each) => each.arrows));
    for (const arrow of graph.graph.querySelectorAll("[data-arrow]")) {
      const active = now.arrows.includes(arrow.dataset.arrow);
      const back = arrow.querySelector(".mgw-back");
      arrow.classList.toggle("mgw-active", active);
      arrow.classList.toggle("mgw-sent", sent.has(arrow.dataset.arrow));
      if (back) back.setAttribute("marker-end", `url(#${graph.graph.id}-${active ? "active" : "sent"})`);
    }
  };
  const paint = () => {
    const step = model.get("step");
    const now = steps[step];
    counter.textContent = step ? `${step} of ${last}` : `start of ${last}`;
    rail.paint(step, step ? `step ${step} of ${last}` : "before the first step");
    buttons.first.disabled = buttons.back.disabled = step === 0;
    buttons.next.disabled = buttons.last.disabled = step === last;
    program.lines.forEach((line, i) => {
      line.classList.toggle("mgw-now", i === now.line);
      if (i === now.line) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
    kept.forEach((item, i) => {
      program.items[i].classList.toggle("mgw-now", item.steps.includes(step));
      program.items[i].classList.toggle("mgw-freed", Math.max(...item.steps) < step);
    });
    paintGraph(step);
    paintTheCard();
    sentence.innerHTML = now.sentence;
    graph.reveal(now.box);
  };

  // Give card and sentence the room of the tallest step, so that nothing jumps.
  const measure = () => {
    card.style.minHeight = sentence.style.minHeight = "";
    let tallCard = 0;
    let tallSentence = 0;
    for (const each of steps.slice(0, MOST_MEASURED)) {
      paintCard(card, each.card);
      sentence.innerHTML = each.sentence;
      tallCard = Math.max(tallCard, card.offsetHeight);
      tallSentence = Math.max(tallSentence, sentence.offsetHeight);
    }
    card.style.minHeight = `${tallCard}px`;
    sentence.style.minHeight = `${tallSentence}px`;
    graph.size();
    paint();
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
    const at = event.target.closest?.("[data-box]");
    const keys = {
      ArrowRight: () => move(model.get("step") + 1),
      ArrowLeft: () => move(model.get("step") - 1),
      Home: () => move(0),
      End: () => move(last),
    };
    if (at && (event.key === "ArrowUp" || event.key === "ArrowDown")) graph.rove(at, event.key);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play();
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  model.on("change:step", paint);
  paint();
  const unwatch = onResize(frame, measure);
  return () => {
    stop();
    unwatch();
    model.off("change:step", paint);
  };
}

export default { render };
