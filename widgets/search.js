// Find boxes by name, op, Cell or formula; Enter goes from hit to hit.

const isLetter = (text, i) => /\p{L}/u.test(text[i] ?? "");

// Whether a word stands in a text, where a name begins: "tip" is no part of "multiply".
function begins(text, word) {
  for (let i = text.indexOf(word); i >= 0; i = text.indexOf(word, i + 1)) {
    if (!isLetter(word, 0) || !isLetter(text, i - 1)) return true;
  }
  return false;
}

function makeSearch(index, { paint, go }) {
  const field = keepKeys(make("input", { type: "search", class: "mgw-search", placeholder: "Search", autocomplete: "off", spellcheck: "false", "aria-label": "Search by name, op, Cell or formula" }));
  const counter = make("span", { class: "mgw-hits", role: "status" });
  let hits = [];
  let at = -1;
  const find = () => {
    const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    hits = words.length ? index.filter(([, , text]) => words.every((word) => begins(text, word))) : [];
    at = -1;
    paintCounter();
    paint(new Set(hits.map(([id]) => id)), null);
  };
  const paintCounter = () => {
    const found = at < 0 ? `${hits.length} found` : `${at + 1} of ${hits.length}`;
    counter.textContent = field.value.trim() ? found : "";
  };
  const move = (by) => {
    if (!hits.length) return;
    at = at < 0 && by < 0 ? hits.length - 1 : (at + by + hits.length) % hits.length;
    paintCounter();
    paint(new Set(hits.map(([id]) => id)), hits[at][0]);
    go(hits[at]);
  };
  const clear = () => {
    field.value = "";
    find();
  };
  field.addEventListener("input", find);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") move(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") clear();
    else {
      event.stopPropagation();
      return; // the letters of the search are no commands
    }
    event.preventDefault();
    event.stopPropagation();
  });
  const repaint = () => paint(new Set(hits.map(([id]) => id)), at < 0 ? null : hits[at][0]);
  return { element: make("span", { class: "mgw-find" }, field, counter), field, repaint };
}
