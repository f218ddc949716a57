// The slope by measuring. All steps were measured before: the slider needs no kernel.

function render({ model, el }) {
  const steps = model.get("steps");
  const frames = model.get("frames");
  const { root, frame } = makeRoot(el, `Slope of ${model.get("title")}`);
  root.classList.add("mgw-tangent");
  const at = () => steps.indexOf(model.get("h"));
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  const slider = keepKeys(make("input", { type: "range", min: 0, max: steps.length - 1, step: 1, "aria-label": "Step h", class: "mgw-slider" }));
  slider.oninput = () => set("h", steps[Number(slider.value)]);
  const group = model.cid || Math.random().toString(36).slice(2); // radio buttons of one widget
  const radios = Object.keys(frames).map((method) => {
    const radio = keepKeys(make("input", { type: "radio", name: `mgw-${group}`, value: method }));
    radio.onchange = () => set("method", method);
    return radio;
  });
  const choices = radios.map((radio) => make("label", { class: "mgw-choice" }, radio, radio.value));
  const shown = make("span", { class: "mgw-value" });
  const controls = make(
    "div", { class: "mgw-controls" },
    make("span", { class: "mgw-choices", role: "radiogroup", "aria-label": "Differences" }, ...choices),
    make("span", { class: "mgw-aside" }, "step"), slider, shown,
  );
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Slope"), makeText("span", "mgw-title-call", model.get("title")), controls);
  const sentence = make("div", { class: "mgw-sentence mgw-two-lines", role: "status", "aria-live": "polite" });
  const numbers = {};
  const strip = make("dl", { class: "mgw-strip" });
  for (const name of Object.keys(frames.central[0].numbers).slice(1)) { // h stands at the slider
    numbers[name] = make("dd");
    strip.append(make("div", {}, makeText("dt", "", name), numbers[name]));
  }
  const curve = makeHTML("div", "mgw-panel", model.get("curve"));
  const errors = make("div", { class: "mgw-panel mgw-pick" });
  frame.append(bar, sentence, strip, make("div", { class: "mgw-panels" }, curve, errors));

  // A press on the chart of errors takes the step there.
  errors.addEventListener("pointerdown", (event) => {
    const edge = errors.querySelector(".mgw-edge").getBoundingClientRect();
    const share = (event.clientX - edge.left) / edge.width;
    set("h", steps[Math.round(Math.max(0, Math.min(1, share)) * (steps.length - 1))]);
    slider.focus();
  });

  const paint = () => {
    const method = model.get("method");
    const now = frames[method][at()];
    if (errors.dataset.method !== method) {
      errors.innerHTML = model.get("errors")[method];
      errors.dataset.method = method;
    }
    curve.querySelector("[data-part]").innerHTML = now.secant;
    errors.querySelector("[data-part]").innerHTML = now.mark;
    for (const name of Object.keys(numbers)) numbers[name].textContent = now.numbers[name];
    for (const radio of radios) radio.checked = radio.value === method;
    slider.value = at();
    slider.setAttribute("aria-valuetext", `h = ${now.numbers.h}`);
    shown.textContent = `h = ${now.numbers.h}`;
    sentence.textContent = now.sentence;
  };
  model.on("change:h change:method", paint);
  paint();
  return () => model.off("change:h change:method", paint);
}

export default { render };
