// The passes of graph mode: choose a stage, and its text and its graph show. A box lights its line.

const MARKS = { added: "+", removed: "−", "": "" };

function render({ model, el }) {
  const stages = model.get("stages");
  const { root, frame } = makeRoot(el, `Passes over ${model.get("title")}`);
  root.classList.add("mgw-passes");
  const group = model.cid || Math.random().toString(36).slice(2); // radio buttons of one widget
  const radios = stages.map((stage, i) => {
    const radio = keepKeys(make("input", { type: "radio", name: `mgw-${group}`, value: i }));
    radio.onchange = () => {
      model.set("chosen", i);
      model.save_changes();
    };
    return radio;
  });
  const choices = stages.map((stage, i) => make("label", { class: "mgw-choice" }, radios[i], stage.name));
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Passes"), makeText("span", "mgw-title-call", model.get("title")),
    make("div", { class: "mgw-controls" }, make("span", { class: "mgw-choices", role: "radiogroup", "aria-label": "Pass" }, ...choices)));
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  const source = make("div", { class: "mgw-inside-part" });
  const map = makeMap("", "Graph of the program");
  frame.append(bar, sentence, make("div", { class: "mgw-panels mgw-two" }, source, map));

  let reachable = [map];
  const reach = () => { for (const each of reachable) reachIfItScrolls(each); };
  const paint = () => {
    const stage = stages[model.get("chosen")];
    sentence.textContent = stage.said;
    radios.forEach((radio, i) => { radio.checked = i === model.get("chosen"); });
    const { element, listing, lines } = makeListing(stage.lines.map((line) => ({ number: MARKS[line.kind], text: line.text })), "Program");
    source.replaceChildren(element);
    const { said, lines: called } = stage.called;
    const engine = makeListing(called.map((text) => ({ number: "", text })), said);
    if (said) source.append(make("details", { class: "mgw-called" }, keepKeys(make("summary", {}, said)), engine.element));
    map.innerHTML = stage.svg;
    keepReadable(map);
    const boxes = [...map.querySelectorAll("[data-box]")];
    stage.lines.forEach((line, i) => {
      if (line.kind) lines[i].classList.add(`mgw-${line.kind}`);
      const box = boxes.find((each) => each.dataset.box === line.box);
      if (!box) return;
      box.addEventListener("pointerenter", () => lines[i].classList.add("mgw-now"));
      box.addEventListener("pointerleave", () => lines[i].classList.remove("mgw-now"));
    });
    reachable = [map, listing, engine.listing];
    reach();
  };
  model.on("change:chosen", paint);
  paint();
  const unwatch = onResize(frame, reach);
  return () => {
    unwatch();
    model.off("change:chosen", paint);
  };
}

export default { render };
