// Where a NaN is born: the op in its place in the graph, its numbers, its line, and what to try.

function render({ model, el }) {
  const births = model.get("births");
  const { root, frame } = makeRoot(el, `NaN in ${model.get("title")}`);
  root.classList.add("mgw-nan");
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "NaN"), makeText("span", "mgw-title-call", model.get("title")));
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  frame.append(bar, sentence);
  sentence.textContent = model.get("sentence");
  for (const given of model.get("given")) frame.append(makeText("div", "mgw-inside-part", `${given[0].toUpperCase()}${given.slice(1)}.`));
  if (!births.length) return () => {};

  const group = model.cid || Math.random().toString(36).slice(2); // radio buttons of one widget
  const radios = births.map((birth, i) => {
    const radio = keepKeys(make("input", { type: "radio", name: `mgw-${group}`, value: i }));
    radio.onchange = () => {
      model.set("chosen", i);
      model.save_changes();
    };
    return radio;
  });
  if (births.length > 1) {
    const names = ["the first infinity", "the first NaN"];
    const choices = radios.map((radio, i) => make("label", { class: "mgw-choice" }, radio, names[i]));
    const row = make("span", { class: "mgw-choices", role: "radiogroup", "aria-label": "Birth" }, ...choices);
    bar.append(make("div", { class: "mgw-controls" }, row));
  }
  const map = makeMap("", "The op and what is around it");
  const facts = make("div", { class: "mgw-inside-part" });
  const { element: source, listing, lines } = makeListing(model.get("lines"), "Program");
  const program = make("div", { class: "mgw-inside-part" }, makeText("h4", "", "Program"), source);
  frame.append(map, make("div", { class: "mgw-inside" }, make("div", { class: "mgw-panels mgw-two" }, facts, program)));

  const paint = () => {
    const birth = births[model.get("chosen")];
    map.innerHTML = birth.svg;
    keepReadable(map);
    const parts = [makeText("h4", "", "The numbers that made it")];
    const [written, filled] = birth.formulas.map((formula) => makeHTML("span", "", formula));
    if (written) parts.push(make("div", { class: "mgw-formula" }, written, ...(filled ? [makeText("span", "mgw-aside", "   with the numbers   "), filled, makeHTML("span", "", birth.result)] : [])));
    const list = make("dl", { class: "mgw-made" });
    for (const [name, number] of birth.numbers) list.append(makeText("dt", "", name), makeText("dd", "", number));
    if (birth.where.length) list.append(makeText("dt", "", birth.where[0]), makeText("dd", "", birth.where[1]));
    parts.push(list, makeText("h4", "", "What to try"), makeText("div", "mgw-advice", birth.advice));
    facts.replaceChildren(...parts);
    lines.forEach((line, i) => {
      line.classList.toggle("mgw-now", i === birth.line);
      if (i === birth.line) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
    radios.forEach((radio, i) => { radio.checked = i === model.get("chosen"); });
    const lit = lines[birth.line];
    if (lit) listing.scrollTop = lit.offsetTop - listing.offsetTop - listing.clientHeight / 2;
    reach();
  };
  const reach = () => { for (const each of [map, listing]) reachIfItScrolls(each); };
  const told = make("div", { class: "mgw-told", role: "status" }); // of the birth that was chosen
  frame.append(told);
  const change = () => {
    paint();
    told.textContent = births[model.get("chosen")].said;
  };
  model.on("change:chosen", change);
  paint();
  const unwatch = onResize(frame, reach);
  return () => {
    unwatch();
    model.off("change:chosen", change);
  };
}

export default { render };
