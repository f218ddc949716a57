// Questions before steps. What an answer opens is encrypted by it; sealed.py says what that is good for.

const FINENESS = 100; // steps of the logarithm: 1 %

// SHA-256 of bytes, as hex: crypto.subtle is missing on pages that come over plain http.
const SHA_ROOTS = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const bits = (x) => Math.floor((x % 1) * 2 ** 32) | 0;
  return { state: primes.slice(0, 8).map((p) => bits(Math.sqrt(p))), round: primes.map((p) => bits(Math.cbrt(p))) };
})();

function sha256(bytes) {
  const blocks = (bytes.length + 72) >> 6;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  const state = [...SHA_ROOTS.state];
  const w = new Int32Array(64);
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(block * 64 + i * 4);
    for (let i = 16; i < 64; i++) {
      const low = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const high = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROOTS.round[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => { state[i] = (state[i] + x) | 0; });
  }
  return state.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}

const hashOf = (...words) => sha256(new TextEncoder().encode(words.join("|")));
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const tagOf = (salt, answer) => hashOf(salt, answer, "tag").slice(0, 16);

function mix(key, bytes) {
  const out = new Uint8Array(bytes.length);
  for (let at = 0, i = 0; at < bytes.length; at += 32, i++) {
    const stream = fromHex(hashOf(key, String(i)));
    for (let k = at; k < Math.min(at + 32, bytes.length); k++) out[k] = bytes[k] ^ stream[k - at];
  }
  return out;
}

// What an answer opens; null if it is wrong.
function unseal(salt, answer, sealed) {
  const locked = sealed.keys[tagOf(salt, answer)];
  if (locked === undefined) return null;
  const decode = (bytes) => new TextDecoder().decode(bytes);
  const key = decode(mix(hashOf(salt, answer, "lock"), fromHex(locked)));
  const content = Uint8Array.from(atob(sealed.content), (c) => c.charCodeAt(0));
  return JSON.parse(decode(mix(key, content)));
}

// A number as it may be written: -0.5, −0,5, 1/3, 1e-5, inf; NaN only if that is meant.
function readNumber(text) {
  const plain = text.trim().replaceAll("−", "-").replace(/^(-?\d+),(\d+)$/, "$1.$2");
  if (/^nan$/i.test(plain)) return NaN;
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  const parts = plain.split("/").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part))) return null;
  return parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(parts[0]);
}

function tokenOf(x) {
  if (Number.isNaN(x)) return "nan";
  if (x === 0) return "0";
  const sign = x > 0 ? "+" : "-";
  return sign + (Number.isFinite(x) ? String(Math.floor(FINENESS * Math.log(Math.abs(x)))) : "inf");
}

// What the answers so far have opened: the steps, and the question that is next, if there is one.
function makeOpened(model) {
  const quiz = model.get("quiz");
  const opened = { steps: [...model.get("steps")], question: quiz.question ?? null, answered: [] };
  opened.update = () => {
    for (const each of model.get("given").slice(opened.answered.length)) {
      const i = opened.answered.length;
      const found = unseal(`${quiz.salt}|${i}`, each.answer, quiz.sealed[i]);
      if (!found) return;
      opened.answered.push({ ...each, number: opened.question.number });
      opened.steps.push(...found.steps);
      opened.question = found.question;
    }
  };
  opened.update();
  return opened;
}

// A formula for who hears the page.
const spoken = (element) => say(element).replaceAll("⊤", " transposed");

// The panel that asks. `act.goOn()` takes the focus when a question is done.
function makePanel(model, opened, act) {
  const quiz = model.get("quiz");
  const field = keepKeys(make("input", { type: "text", class: "mgw-answer", autocomplete: "off", spellcheck: "false", placeholder: "a number", size: 12 }));
  const button = (name, words) => {
    const made = keepKeys(make("button", { type: "button", class: "mgw-word-button", "data-ask": name }, words));
    return made;
  };
  const submit = button("answer", "Answer");
  const hint = button("hint", "Hint");
  const show = button("show", "Show the answer");
  const options = make("div", { class: "mgw-options", role: "group", "aria-label": "Rules to choose from" });
  const told = make("div", { class: "mgw-feedback", role: "status", "aria-live": "polite" });
  const panel = make("div", { class: "mgw-ask" }, make("div", { class: "mgw-ask-line" }, field, options, submit, hint, show), told);
  let tries = 0;
  let waiting = false;
  let shownFor = -1;

  const tell = (html, kind = "") => {
    told.className = `mgw-feedback${kind ? ` mgw-said-${kind}` : ""}`;
    told.innerHTML = html;
  };
  const open = (answer, shown) => {
    const inside = panel.matches(":focus-within"); // what has the focus is about to go
    model.set("given", [...model.get("given"), { answer, tries, shown }]);
    model.save_changes();
    if (inside) act.goOn();
  };
  const tryAnswer = (answer, written) => {
    const i = opened.answered.length;
    tries += 1;
    if (quiz.sealed[i].keys[tagOf(`${quiz.salt}|${i}`, answer)] !== undefined) return open(answer, false);
    const known = opened.question.mistakes[tagOf(`${quiz.salt}|${i}`, answer)];
    const more = known ?? (opened.question.hint ? "The hint shows the rule." : "Look at what comes in, and at the shapes.");
    tell(`${written ? `${written} is not it. ` : "Not this one. "}${more}`, "wrong");
    field.select();
  };
  const answerField = () => {
    if (!opened.question || opened.question.kind !== "number") return;
    const x = readNumber(field.value);
    if (x === null) return tell("Write a number, such as −0.5, 1/3 or 2e-5.", "wrong");
    tryAnswer(tokenOf(x), field.value.trim().replaceAll("-", "−").replace(/[<>&]/g, ""));
  };
  submit.onclick = answerField;
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") answerField();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  hint.onclick = () => tell(`<span class="mgw-formula">${opened.question.hint}</span>`);
  show.onclick = () => {
    waiting = true;
    model.send({ show: opened.answered.length });
  };
  const listen = (message) => {
    if (!waiting || message?.shown !== opened.answered.length) return;
    waiting = false;
    open(message.answer, true);
  };
  model.on("msg:custom", listen);

  // Paint the panel for a step: the question, or how it was answered.
  const paint = (step) => {
    const question = opened.question;
    const asks = Boolean(question) && step === question.number;
    const number = asks && question.kind === "number";
    panel.classList.toggle("mgw-asks", asks);
    field.hidden = submit.hidden = !number;
    hint.hidden = !(asks && question.hint);
    show.hidden = !(asks && model.get("live"));
    options.hidden = !asks || number;
    if (asks && shownFor !== question.number) {
      shownFor = question.number;
      tries = 0;
      field.value = "";
      field.setAttribute("aria-label", question.label);
      options.replaceChildren(...(question.options ?? []).map((html, i) => {
        const option = makeHTML("button", "mgw-option", html);
        keepKeys(option).type = "button";
        option.setAttribute("aria-label", spoken(option));
        option.onclick = () => tryAnswer(String(i), "");
        return option;
      }));
      tell("");
    } else if (!asks) {
      shownFor = -1;
      const done = opened.answered.find((each) => each.number === step);
      if (!done) tell(question ? "Press Next: what comes then is asked before it is shown." : "");
      else if (done.shown) tell("The answer was shown.");
      else tell(done.tries === 1 ? "Right at the first try." : `Right, at try ${done.tries}.`, "right");
    }
  };
  const focus = () => {
    if (!field.hidden) field.focus();
    else if (!options.hidden) options.firstElementChild?.focus();
  };
  const score = () => {
    const right = opened.answered.filter((each) => each.tries === 1 && !each.shown).length;
    return opened.answered.length ? `${right} of ${opened.answered.length} right at the first try` : "";
  };
  return { panel, field, paint, focus, score, stop: () => model.off("msg:custom", listen) };
}
