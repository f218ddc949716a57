// A graph that is zoomed and moved in its pane. Moving is scrolling, so the wheel, a finger and the
// scroll bars do it too; a drag does it with the mouse.

const LEAST_ZOOM = 0.05;
const MOST_ZOOM = 4;
const ZOOM_STEP = 1.25;
const DRAG = 4; // px from which a press is a drag and no click
const TALLEST = 680;
const WHOLE = 0.8; // from which a graph that is seen whole can be read

function makeZoom(pane, told) {
  let svg = null;
  let width = 1;
  let height = 1;
  let scale = 1;
  let touched = false; // the reader chose a zoom: a new width of the page leaves it
  const clamp = (share) => Math.max(LEAST_ZOOM, Math.min(MOST_ZOOM, share));

  // Zoom; what is at `at`, a point of the window, stays there.
  const set = (share, at = null) => {
    const next = clamp(share);
    const view = pane.getBoundingClientRect();
    const x = (at ? at.x : view.left + view.width / 2) - view.left;
    const y = (at ? at.y : view.top + view.height / 2) - view.top;
    const inset = Math.max(0, (pane.clientWidth - width * scale) / 2);
    const left = (pane.scrollLeft + x - inset) / scale;
    const top = (pane.scrollTop + y) / scale;
    scale = next;
    svg.style.width = `${width * scale}px`;
    svg.style.height = `${height * scale}px`;
    pane.scrollLeft = left * scale - x + Math.max(0, (pane.clientWidth - width * scale) / 2);
    pane.scrollTop = top * scale - y;
    told(scale);
  };
  const whole = () => Math.min(pane.clientWidth / width, TALLEST / height, 1);
  // As wide as the pane; a little smaller where the whole graph can be read then.
  const readable = () => (whole() > WHOLE ? whole() : Math.max(Math.min(pane.clientWidth / width, 1), SMALLEST));
  const api = {
    show: (next) => {
      svg = next;
      width = Number(svg.getAttribute("width"));
      height = Number(svg.getAttribute("height"));
      set(touched ? scale : readable());
    },
    size: () => { if (svg && !touched && pane.clientWidth) set(readable()); },
    by: (factor, at) => { touched = true; set(scale * factor, at); },
    fit: () => { touched = true; set(pane.clientWidth / width > 1 ? 1 : pane.clientWidth / width); },
    whole: () => { touched = true; set(whole()); },
    reset: () => { touched = false; set(readable()); },
    dragged: false,
  };

  pane.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    api.by(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 200), { x: event.clientX, y: event.clientY });
  }, { passive: false });

  let from = null;
  pane.addEventListener("pointerdown", (event) => {
    api.dragged = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    from = { x: event.clientX, y: event.clientY, left: pane.scrollLeft, top: pane.scrollTop };
  });
  pane.addEventListener("pointermove", (event) => {
    if (!from || !(event.buttons & 1)) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!api.dragged && Math.hypot(dx, dy) < DRAG) return;
    if (!api.dragged) pane.setPointerCapture(event.pointerId);
    api.dragged = true;
    pane.classList.add("mgw-dragging");
    pane.scrollLeft = from.left - dx;
    pane.scrollTop = from.top - dy;
  });
  for (const end of ["pointerup", "pointercancel"]) {
    pane.addEventListener(end, () => {
      from = null;
      pane.classList.remove("mgw-dragging");
    });
  }
  return api;
}
