// A training as it runs: progress, the charts as the kernel draws them, and a button to stop.

function render({ model, el }) {
  const { root, frame } = makeRoot(el, `Training ${model.get("title")}`);
  root.classList.add("mgw-training");
  const progress = make("progress", { class: "mgw-progress", "aria-label": "Steps done" });
  const counter = make("span", { class: "mgw-counter" });
  const stop = keepKeys(make("button", { type: "button", class: "mgw-word-button" }));
  stop.title = "Ask the loop to end after the step that runs";
  const controls = make("div", { class: "mgw-controls" }, progress, counter, stop);
  const bar = make("div", { class: "mgw-bar" }, makeText("b", "", "Training"), makeText("span", "mgw-title-call", model.get("title")), controls);
  const sentence = make("div", { class: "mgw-sentence" });
  const told = make("div", { class: "mgw-told", role: "status" }); // spoken at the end, not at every picture
  const panels = make("div", { class: "mgw-panels" });
  frame.append(bar, sentence, panels, told);

  stop.onclick = () => {
    if (stop.getAttribute("aria-disabled") === "true") return;
    model.set("stop_asked", true);
    model.save_changes();
  };
  const paint = () => {
    const [done, total, running] = ["done", "total", "running"].map((name) => model.get(name));
    progress.max = total || 1;
    if (total || !running) progress.value = total ? done : 1;
    else progress.removeAttribute("value"); // it is not known how much is left
    counter.textContent = total ? `${done} of ${total}` : `${done} steps`;
    stop.hidden = !running;
    stop.textContent = model.get("stop_asked") ? "Stopping" : "Stop";
    stop.setAttribute("aria-disabled", String(model.get("stop_asked")));
    sentence.textContent = model.get("sentence");
    if (!running) told.textContent = model.get("sentence");
  };
  const paintCharts = () => {
    panels.innerHTML = model.get("charts").map((chart) => `<div class="mgw-panel">${chart}</div>`).join("");
  };
  const facts = "change:done change:total change:running change:stop_asked change:sentence";
  model.on(facts, paint);
  model.on("change:charts", paintCharts);
  paint();
  paintCharts();
  return () => {
    model.off(facts, paint);
    model.off("change:charts", paintCharts);
  };
}

export default { render };
