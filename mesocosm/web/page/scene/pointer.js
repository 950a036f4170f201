// Pan and zoom by pointer, wheel, pinch and keys.
import { panView, zoomView } from "./view.js";

const STEP = 60; // pixels that an arrow key moves
const ZOOM = 1.25;
const CLICK_PIXELS = 4;
const ARROWS = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** Follows the pointers on an element; `look` has view(), setView(v), reset(), hover(p), click(p). */
export class Gestures {
  constructor(element, look) {
    this.element = element;
    this.look = look;
    this.pointers = new Map();
    this.moved = 0;
    this.listeners = {
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: (event) => this.pointers.delete(event.pointerId),
      pointerleave: () => this.look.hover(null),
      wheel: (event) => this.#wheel(event),
      dblclick: () => this.look.reset(),
    };
    for (const [name, listen] of Object.entries(this.listeners)) {
      element.addEventListener(name, listen, { passive: name !== "wheel" });
    }
  }

  close() {
    for (const [name, listen] of Object.entries(this.listeners)) {
      this.element.removeEventListener(name, listen);
    }
  }

  #place(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #down(event) {
    if (event.button > 0) return;
    this.element.setPointerCapture(event.pointerId);
    if (this.pointers.size === 0) this.moved = 0;
    this.pointers.set(event.pointerId, this.#place(event));
  }

  #move(event) {
    const before = this.pointers.get(event.pointerId);
    const now = this.#place(event);
    if (!before) {
      this.look.hover(now);
      return;
    }
    this.moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    this.pointers.set(event.pointerId, now);
    if (others.length === 1) this.#pinch(before, now, others[0][1]);
    else if (this.moved > CLICK_PIXELS) {
      this.look.setView(panView(this.look.view(), before[0] - now[0], before[1] - now[1]));
    }
  }

  #pinch(before, now, other) {
    const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]) || 1;
    const middle = (place) => [(place[0] + other[0]) / 2, (place[1] + other[1]) / 2];
    const [from, to] = [middle(before), middle(now)];
    const moved = panView(this.look.view(), from[0] - to[0], from[1] - to[1]);
    this.look.setView(zoomView(moved, apart(now) / apart(before), to));
  }

  #up(event) {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.moved <= CLICK_PIXELS && this.pointers.size === 0) this.look.click(this.#place(event));
  }

  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 33 : 1;
    const factor = Math.exp((-event.deltaY * lines) / 400);
    this.look.setView(zoomView(this.look.view(), factor, this.#place(event)));
  }
}

/** Pan or zoom by a key; says whether the key meant anything. */
export function moveByKey(key, look, [width, height]) {
  const middle = [width / 2, height / 2];
  if (key in ARROWS) look.setView(panView(look.view(), ...ARROWS[key]));
  else if (key === "+" || key === "=") look.setView(zoomView(look.view(), ZOOM, middle));
  else if (key === "-" || key === "_") look.setView(zoomView(look.view(), 1 / ZOOM, middle));
  else if (key === "0" || key === "Home") look.reset();
  else return false;
  return true;
}
