// A page without a kernel: each widget gets a model that holds its state and tells who listens.

function makeModel(state) {
  const listeners = new Map();
  const tell = (event) => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener();
  };
  return {
    get: (name) => state[name],
    set: (name, value) => {
      if (state[name] === value) return;
      state[name] = value;
      tell(`change:${name}`);
      tell("change");
    },
    save_changes: () => {},
    send: () => {},
    on: (events, listener) => {
      for (const event of events.split(" ")) listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    off: (events, listener) => {
      for (const event of (events ?? [...listeners.keys()].join(" ")).split(" ")) {
        listeners.set(event, (listeners.get(event) ?? []).filter((each) => listener && each !== listener));
      }
    },
  };
}

const { scripts, widgets } = JSON.parse(document.getElementById("widgets").textContent);
const modules = scripts.map((script) => import(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))));
const sections = document.querySelectorAll("section");
for (const [i, { script, state }] of widgets.entries()) {
  const { default: made } = await modules[script];
  const widget = typeof made === "function" ? await made() : made;
  const model = makeModel(state);
  sections[i].replaceChildren();
  await widget.initialize?.({ model });
  await widget.render({ model, el: sections[i] });
}
