// The parts of a large graph that are in view: the others are kept out of the page, so that it
// stays quick. A small graph is in the page as a whole.

const MOST_AT_ONCE = 500; // parts of a graph that is in the page as a whole
const MOST_PER_FRAME = 120; // parts that come in while one frame is drawn
const AROUND = 250; // px around what is seen that are ready
const SPECKS = 0.12; // the zoom below which boxes are specks and only frames are drawn

function makeStage(pane) {
  let svg = null;
  let parts = []; // { element, id, layer, x, y, right, bottom, inside }
  let byId = new Map();
  let into = new Map(); // arrows by the box they end at
  let scale = 1;
  let pinned = null; // what has the focus, or would get it, stays
  let waiting = false;

  const numbers = (text) => (text.match(/-?[\d.]+/g) ?? []).map(Number);
  const boundsOf = (element) => {
    if (element.tagName === "rect") {
      const [x, y, wide, high] = ["x", "y", "width", "height"].map((name) => Number(element.getAttribute(name)));
      return { x, y, right: x + wide, bottom: y + high };
    }
    const path = element.dataset.arrow && element.querySelector("path");
    if (path) {
      const at = numbers(path.getAttribute("d"));
      const [xs, ys] = [at.filter((_, i) => i % 2 === 0), at.filter((_, i) => i % 2)];
      return { x: Math.min(...xs), y: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
    }
    const [x, y] = numbers(element.getAttribute("transform") ?? "0 0");
    const face = element.querySelector("rect");
    return { x, y, right: x + Number(face.getAttribute("width")), bottom: y + Number(face.getAttribute("height")) };
  };
  const layers = ["frame", "arrow", "title", "box"];
  const layerOf = (element) =>
    element.dataset.box ? "box" : element.dataset.frame ? "title" : element.dataset.arrow ? "arrow" : "frame";

  const parse = (text) => {
    const holder = document.createElement("template"); // what is in it costs no style and no layout
    holder.innerHTML = text;
    return holder.content.firstElementChild;
  };
  const load = (text) => {
    svg = parse(text);
    const found = [...svg.querySelectorAll(":scope > rect.mgw-cell, :scope > [data-arrow], :scope > [data-frame], :scope > [data-box]")];
    const many = found.length > MOST_AT_ONCE;
    const holders = {};
    if (many) {
      for (const layer of layers) {
        holders[layer] = document.createElementNS("http://www.w3.org/2000/svg", "g");
        svg.append(holders[layer]);
      }
    }
    byId = new Map();
    into = new Map();
    parts = found.map((element) => {
      const layer = layerOf(element);
      const part = { element, id: element.dataset.box ?? element.dataset.frame, home: holders[layer], speck: layer === "box" || layer === "arrow", ...boundsOf(element), inside: !many };
      if (many) element.remove();
      if (part.id) byId.set(part.id, part);
      if (layer === "arrow") into.set(element.dataset.head, [...(into.get(element.dataset.head) ?? []), element]);
      return part;
    });
    if (!many) for (const part of parts) part.home = null;
    pinned = null;
    pane.replaceChildren(svg);
    return svg;
  };
  const put = (part, inside) => {
    if (part.inside === inside) return;
    part.inside = inside;
    if (inside) part.home.append(part.element);
    else part.element.remove();
  };
  const update = () => {
    if (!parts.length || !parts[0].home) return;
    const left = Math.max(0, (pane.clientWidth - Number(svg.getAttribute("width")) * scale) / 2);
    const x = (pane.scrollLeft - left - AROUND) / scale;
    const y = (pane.scrollTop - AROUND) / scale;
    const right = (pane.scrollLeft + pane.clientWidth + AROUND) / scale;
    const bottom = (pane.scrollTop + pane.clientHeight + AROUND) / scale;
    let room = MOST_PER_FRAME;
    let more = false;
    for (const part of parts) {
      const seen = part.x < right && part.right > x && part.y < bottom && part.bottom > y && (scale >= SPECKS || !part.speck);
      const wanted = seen || part === pinned;
      if (wanted === part.inside) continue;
      if (room-- <= 0) {
        more = true;
        break;
      }
      put(part, wanted);
    }
    if (more) later();
  };
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  pane.addEventListener("scroll", later, { passive: true });
  return {
    load,
    parse,
    items: () => parts.filter((part) => part.id).map((part) => part.element),
    arrows: (id) => into.get(id) ?? [],
    item: (id) => byId.get(id)?.element ?? null,
    zoomed: (share) => {
      scale = share;
      later();
    },
    // Keep an item in the page, so that it can have the focus.
    pin: (item) => {
      const before = pinned;
      pinned = byId.get(item.dataset.box ?? item.dataset.frame);
      if (pinned?.home) put(pinned, true);
      if (before && before !== pinned) later();
    },
    // Scroll until an item is in view.
    reveal: (item) => {
      const at = byId.get(item.dataset.box ?? item.dataset.frame);
      const inset = Math.max(0, (pane.clientWidth - Number(svg.getAttribute("width")) * scale) / 2);
      const [x, right] = [at.x * scale + inset, at.right * scale + inset];
      const [y, bottom] = [at.y * scale, at.bottom * scale];
      if (y < pane.scrollTop || bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = (y + bottom - pane.clientHeight) / 2;
      if (x < pane.scrollLeft || right > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = (x + right - pane.clientWidth) / 2;
      later();
    },
    later,
  };
}
