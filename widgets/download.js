// The picture as a file, made in the page: SVG as it stands, or drawn on a canvas as PNG.

const PNG_SCALE = 2;
const MOST_SIDE = 16000; // px that a canvas can have on a side
const MOST_AREA = 1.2e8;

function standAlone(graph, style, ground) {
  const copy = graph.cloneNode(true);
  copy.removeAttribute("style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("role", "img");
  for (const each of copy.querySelectorAll("[tabindex], [role], [aria-label], [data-lm-suppress-shortcuts]")) {
    for (const name of ["tabindex", "role", "aria-label", "aria-expanded", "data-lm-suppress-shortcuts"]) each.removeAttribute(name);
  }
  for (const each of copy.querySelectorAll(".mgw-frame-title > .mgw-sign")) each.remove();
  const svg = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const rules = svg("style", {});
  rules.textContent = style;
  copy.prepend(rules);
  if (ground) rules.after(svg("rect", { class: "mgw-ground", width: "100%", height: "100%", rx: "8" }));
  return new XMLSerializer().serializeToString(copy);
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function asPNG(text, width, height) {
  const scale = Math.min(PNG_SCALE, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_AREA / (width * height)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) throw new Error("the browser could not draw a picture this large");
  return blob;
}

// A menu: `picture()` gives the graph that is seen now.
function makeDownload(root, styles, name, picture, told) {
  const isDark = () => {
    const [r, g, b] = getComputedStyle(root).color.match(/[\d.]+/g).map(Number);
    return r + g + b > 384;
  };
  const kinds = {
    SVG: async (graph) => {
      const style = `${styles.light}@media (prefers-color-scheme:dark){${styles.dark}}`;
      save(new Blob([standAlone(graph, style, true)], { type: "image/svg+xml" }), `${name}.svg`);
    },
    PNG: async (graph) => {
      const text = standAlone(graph, isDark() ? styles.dark : styles.light, true);
      save(await asPNG(text, Number(graph.getAttribute("width")), Number(graph.getAttribute("height"))), `${name}.png`);
    },
  };
  const menu = make("details", { class: "mgw-menu" });
  const summary = keepKeys(make("summary", { class: "mgw-small" }, "Download"));
  const items = Object.entries(kinds).map(([kind, act]) => {
    const item = keepKeys(make("button", { type: "button", class: "mgw-small" }, kind));
    item.onclick = async () => {
      menu.open = false;
      summary.focus();
      try {
        await act(picture());
        told(`${kind} saved as ${name}.${kind.toLowerCase()}`);
      } catch (error) {
        told(`No ${kind}: ${error.message}`);
      }
    };
    return item;
  });
  menu.append(summary, make("span", { class: "mgw-menu-items" }, ...items));
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      menu.open = false;
      summary.focus();
      event.stopPropagation();
    }
  });
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  });
  return menu;
}
