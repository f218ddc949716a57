// A Cell with a bprop as a box that opens.

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `bprop of ${model.get("title")}`);
  root.classList.add("mgw-bprop");
  const button = keepKeys(make("button", { type: "button", class: "mgw-word-button" }));
  const controls = make("div", { class: "mgw-controls" }, button);
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "bprop"), makeText("span", "mgw-title-call", model.get("title")), controls);
  const sentence = make("div", { class: "mgw-sentence", role: "status", "aria-live": "polite" });
  const box = makeMap(model.get("box"), "The Cell as one box");
  const bindings = model.get("binding").map((svg) => makeMap(svg, "How the arguments were bound")); // wide, narrow
  const refusal = makeText("div", "mgw-refusal", model.get("error"));
  const { element: source, listing } = makeListing(model.get("lines"), "Source");

  const inside = make("div", { class: "mgw-inside" });
  const part = (heading, ...children) => make("div", { class: "mgw-inside-part" }, makeText("h4", "", heading), ...children);
  inside.append(make("div", { class: "mgw-panels mgw-two" }, part("Arguments", ...bindings, ...(model.get("error") ? [refusal] : [])), part("construct and its rule", source)));
  if (model.get("inputs").length) {
    const tables = model.get("inputs").map((input) => {
      const row = make("div", { class: "mgw-tables" });
      for (const table of input.tables) {
        const array = makeTable(table, `${input.heading}, ${table.title}`, Infinity);
        row.append(make("div", { class: "mgw-compare" }, makeText("div", "mgw-aside", table.title), array));
      }
      return make("div", {}, makeText("div", "mgw-compare-head", input.heading), row);
    });
    inside.append(part(`Gradients, for dout = ${model.get("dout")}`, ...tables));
  }
  if (model.get("charts").length) {
    inside.append(part("Over the range of the input", make("div", { class: "mgw-panels" }, ...model.get("charts").map((svg) => makeHTML("div", "mgw-panel", svg)))));
  }
  frame.append(bar, sentence, box, inside);
  sentence.textContent = model.get("sentence");

  // What stands for the same lights together.
  const boxes = [...root.querySelectorAll("[data-box]")];
  const light = (key) => { for (const each of boxes) each.classList.toggle("mgw-chosen", each.dataset.box === key); };
  for (const each of boxes) {
    each.addEventListener("pointerenter", () => light(each.dataset.box));
    each.addEventListener("pointerleave", () => light(null));
  }

  const cell = keepKeys(box.querySelector("[data-part='cell']"));
  cell.setAttribute("role", "button");
  cell.setAttribute("tabindex", "0");
  const toggle = () => {
    model.set("opened", !model.get("opened"));
    model.save_changes();
  };
  button.onclick = toggle;
  cell.addEventListener("click", toggle);
  cell.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    toggle();
  });
  const paint = () => {
    const open = model.get("opened");
    inside.hidden = !open;
    button.textContent = open ? "Close" : "Open";
    for (const each of [button, cell]) each.setAttribute("aria-expanded", String(open));
    cell.setAttribute("aria-label", `${model.get("title")}, a Cell with its own bprop`);
    reach();
  };
  // The arguments as rows, or if there is no room for those, as columns.
  const reach = () => {
    const room = inside.clientWidth - 28;
    const [wide, narrow] = bindings.map((each) => each.firstElementChild.getAttribute("width") * SMALLEST);
    bindings[0].hidden = wide > room && narrow < wide;
    bindings[1].hidden = !bindings[0].hidden;
    for (const each of [box, ...bindings, listing]) reachIfItScrolls(each);
  };
  model.on("change:opened", paint);
  paint();
  const unwatch = onResize(frame, reach);
  return () => {
    unwatch();
    model.off("change:opened", paint);
  };
}

export default { render };
