// What a gradient call differentiates: point at a box, and what belongs to it lights with it.

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Signature of ${model.get("title")}`);
  root.classList.add("mgw-signature");
  const sentences = model.get("sentences");
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Signature"), makeText("span", "mgw-title-call", model.get("title")));
  const sentence = make("div", { class: "mgw-sentence mgw-two-lines", role: "status", "aria-live": "polite" });
  const pane = makeMap(model.get("svg"), "Map of the call");
  frame.append(bar, sentence, pane);
  if (model.get("error")) frame.append(make("div", { class: "mgw-inside-part" }, makeText("div", "mgw-refusal", model.get("error"))));
  sentence.textContent = model.get("sentence");

  const boxes = [...pane.querySelectorAll("[data-box]")];
  const show = (box) => {
    const own = new Set([box?.dataset.box, box?.dataset.pair]);
    for (const each of boxes) each.classList.toggle("mgw-chosen", Boolean(box) && own.has(each.dataset.box));
    sentence.textContent = box ? (sentences[box.dataset.box] ?? box.getAttribute("aria-label")) : model.get("sentence");
  };
  const focus = (box) => {
    if (!box) return;
    for (const each of boxes) each.setAttribute("tabindex", each === box ? "0" : "-1");
    box.focus();
  };
  boxes.forEach((box, i) => {
    keepKeys(box).setAttribute("tabindex", i ? "-1" : "0");
    box.addEventListener("pointerenter", () => show(box));
    box.addEventListener("pointerleave", () => show(pane.querySelector("[data-box]:focus")));
    box.addEventListener("focus", () => show(box));
    box.addEventListener("blur", () => show(null));
    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const to = { ArrowRight: i + 1, ArrowDown: i + 1, ArrowLeft: i - 1, ArrowUp: i - 1, Home: 0, End: boxes.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      focus(boxes[to]);
    });
  });
  return onResize(pane, () => reachIfItScrolls(pane));
}

export default { render };
