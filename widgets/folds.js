// Groups that open and close. The kernel lays a picture out when it is first asked for; a page
// without one has some.

const ANSWER_MS = 15000; // how long a picture may take before the page says that none comes
const BEYOND = 1e9; // the place of a door: after all values

const keyOf = (opened) => [...opened].sort().join(" ");
const idOf = (item) => item.dataset.box ?? item.dataset.frame; // a box, or the name of a frame

// `paint(view, then)` shows a picture, and goes to the group `then`, if there is one; `announce`
// tells whoever hears the page.
function makeFolds(model, frame, { paint, announce }) {
  const groups = model.get("groups");
  const homes = model.get("homes");
  const views = new Map(model.get("views").map((view) => [keyOf(view.opened), view]));
  const keep = () => {
    const view = model.get("view");
    views.set(keyOf(view.opened), view);
    return view;
  };
  const first = keep();
  const shut = new Set(first.opened);
  let now = first;
  let isOpen = shut;
  const notice = make("div", { class: "mgw-notice", role: "alert" });
  const hides = make("span", { class: "mgw-hides" });

  // The groups around a value or a group, and its own; the box at which it is seen, null if it is
  // an open group.
  const pathOf = (id) => groups[id]?.path ?? groups[homes[id]]?.path ?? [];
  const seenAt = (id) => pathOf(id).find((key) => !isOpen.has(key)) ?? (groups[id] ? null : id);
  // What a group is called: with the group around it, if another has the same name.
  const nameOf = (id) => {
    const { name, path } = groups[id];
    const alone = Object.values(groups).filter((each) => each.name === name).length === 1;
    return alone || path.length < 2 ? name : `${groups[path.at(-2)].name} / ${name}`;
  };
  // The keys go through the boxes as the run made them; the name of a frame comes before its boxes.
  const rankOf = (item) => {
    const id = idOf(item);
    const place = groups[id]?.place ?? (/^v\d+$/.test(id) ? Number(id.slice(1)) : BEYOND);
    return item.dataset.frame ? place - 1 + groups[id].path.length / 1000 : place;
  };
  // Items in that order, each with what it is to the keyboard and to whoever hears the page.
  const inOrder = (items) => {
    const rank = new Map(items.map((item) => [item, rankOf(item)]));
    for (const item of items) {
      keepKeys(item).setAttribute("tabindex", "-1");
      const group = groups[idOf(item)];
      if (!group) continue;
      item.setAttribute("role", "button");
      item.setAttribute("aria-expanded", String(Boolean(item.dataset.frame)));
      if (item.dataset.frame) item.setAttribute("aria-label", `${group.name}, group`);
    }
    return items.sort((a, b) => rank.get(a) - rank.get(b));
  };

  let asked = null; // a picture that has not come yet, and the group that the reader is at
  let told = null; // what the kernel was told last, until it answers
  let timer = null;
  const settle = (text) => {
    clearTimeout(timer);
    asked = null;
    notice.textContent = text;
    frame.removeAttribute("aria-busy");
  };
  const show = (view, then) => {
    now = view;
    isOpen = new Set(view.opened);
    hides.textContent = view.hides;
    const any = Object.keys(groups).length > 0;
    const focused = [openAll, closeAll].find((each) => each.matches(":focus"));
    openAll.hidden = !any || !view.hides || Object.keys(homes).length > model.get("most_open");
    closeAll.hidden = !any || keyOf(view.opened) === keyOf(shut);
    if (focused?.hidden) [openAll, closeAll].find((each) => !each.hidden)?.focus();
    paint(view, then);
  };
  const arrive = (view, then) => {
    settle("");
    show(view, then);
    if (then) announce(`${nameOf(then)} is ${isOpen.has(then) ? "open" : "closed"}. ${view.hides}`);
    else announce(view.hides || "All groups are open");
  };
  const go = (opened, then = null) => {
    const seen = [...opened].filter((key) => groups[key].path.every((each) => opened.has(each)));
    const key = keyOf(seen);
    if (model.get("live")) {
      told = key;
      model.set("wanted", { opened: seen, at: Date.now() });
      model.save_changes();
    }
    if (views.has(key)) return arrive(views.get(key), then);
    if (!model.get("live")) return goAlone(seen, then);
    asked = { key, then };
    frame.setAttribute("aria-busy", "true");
    announce("Laying the picture out");
    clearTimeout(timer);
    timer = setTimeout(() => settle("No picture came: the kernel is busy or gone. Run the cell again."), ANSWER_MS);
  };
  // Without a kernel: of the pictures that came along, the one that is nearest.
  const goAlone = (seen, then) => {
    const path = then ? groups[then].path : [];
    const fits = [...views.values()].filter((view) => !then || seen.includes(then) === view.opened.includes(then));
    const visible = fits.filter((view) => path.slice(0, -1).every((key) => view.opened.includes(key)));
    const distance = (view) => view.opened.filter((key) => !seen.includes(key)).length + seen.filter((key) => !view.opened.includes(key)).length;
    const [best] = visible.sort((a, b) => distance(a) - distance(b));
    if (best) arrive(best, then);
    if (!best) notice.textContent = "Without a kernel this picture is not at hand. Open all, or close all.";
    else if (seen.some((key) => !best.opened.includes(key))) {
      notice.textContent = "Without a kernel one group is open at a time: the others were closed.";
    }
  };
  const toggle = (id) => {
    if (asked) return;
    const opened = new Set(now.opened);
    if (!opened.delete(id)) opened.add(id);
    go(opened, id);
  };
  const button = (text, title, act) => {
    const element = keepKeys(make("button", { type: "button", class: "mgw-small", title, "aria-label": title }, text));
    element.onclick = act;
    return element;
  };
  const openAll = button("Open all", "Open all groups", () => go(new Set(Object.keys(groups))));
  const closeAll = button("Close", "Close what was opened", () => go(new Set(shut)));

  const onAnswer = () => {
    const view = keep();
    const key = keyOf(view.opened);
    if (told !== null && told !== key) return; // the reader is further already
    told = null;
    if (asked?.key === key) arrive(view, asked.then);
    else if (key !== keyOf(now.opened)) arrive(view, null); // the kernel did it by itself
  };
  const onProblem = () => { if (model.get("problem")) settle(model.get("problem")); };
  model.on("change:view", onAnswer);
  model.on("change:problem", onProblem);
  return {
    groups, notice, hides, openAll, closeAll, seenAt, nameOf, inOrder, toggle,
    start: () => show(first, null),
    svg: () => now.svg,
    stop: () => {
      clearTimeout(timer);
      model.off("change:view", onAnswer);
      model.off("change:problem", onProblem);
    },
  };
}
