// How a part of the picture of items by systems is selected: by dragging over it, or by two sliders.

/** The strip that is dragged over the picture, and what a filter dims. */
export class Brush {
  /**
   * @param {Element} drawn
   * @param {number} width
   * @param {number} rows
   * @param {import("./matrix.js").Column[]} columns
   * @param {(from: number, to: number) => void} select
   */
  constructor(drawn, width, rows, columns, select) {
    const names = "http://www.w3.org/2000/svg";
    this.columns = columns;
    this.height = rows * 20;
    const svg = document.createElementNS(names, "svg");
    svg.setAttribute("class", "brush");
    svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    svg.setAttribute("width", "100%");
    svg.setAttribute("height", String(this.height));
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    this.off = document.createElementNS(names, "path");
    this.off.setAttribute("class", "off");
    this.off.setAttribute("stroke-width", String(this.height));
    this.rect = document.createElementNS(names, "rect");
    this.rect.setAttribute("height", String(this.height));
    svg.append(this.off, this.rect);
    drawn.append(svg);
    /** @type {number | null} */
    let from = null;
    /** @param {PointerEvent} event */
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return nearest(columns, ((event.clientX - box.left) / box.width) * width);
    };
    svg.addEventListener("pointerdown", (event) => {
      from = at(event);
      svg.setPointerCapture(event.pointerId);
      this.frame([from, from]);
    });
    svg.addEventListener("pointermove", (event) => {
      if (from !== null) this.frame([Math.min(from, at(event)), Math.max(from, at(event))]);
    });
    svg.addEventListener("pointercancel", () => { from = null; });
    svg.addEventListener("pointerup", (event) => {
      if (from === null) return;
      const to = at(event);
      // A click without a drag selects everything.
      if (from === to) select(0, columns.length - 1);
      else select(Math.min(from, to), Math.max(from, to));
      from = null;
    });
  }

  /**
   * @param {[number, number] | null} selected
   * @param {number[]} off where the items are that a filter drops
   */
  show(selected, off) {
    this.off.setAttribute("d", off.map((x) => `M${x} ${this.height / 2}h1`).join(""));
    this.frame(selected);
  }

  /** @param {[number, number] | null} selected */
  frame(selected) {
    const [first, last] = selected === null ? [undefined, undefined] : selected.map((at) => this.columns[at]);
    if (!first || !last) {
      this.rect.setAttribute("width", "0");
      return;
    }
    this.rect.setAttribute("x", String(first.x));
    this.rect.setAttribute("width", String(last.x + 1 - first.x));
  }
}

/**
 * The drawn column nearest to a place.
 * @param {import("./matrix.js").Column[]} columns
 * @param {number} x
 */
export function nearest(columns, x) {
  let [low, high] = [0, columns.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((columns[middle]?.x ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Two sliders, for the keyboard and for touch.
 * @param {number} count
 * @param {string} noun
 * @param {(from: number, to: number) => void} select
 */
export function sliders(count, noun, select) {
  const element = document.createElement("div");
  element.className = "range";
  element.append(document.createElement("span"));
  const [from, to] = ["From", "To"].map((words) => {
    const input = document.createElement("input");
    input.type = "range";
    input.min = "0";
    input.max = String(count - 1);
    input.setAttribute("aria-label", `${words} which of the ${noun}, in the order of the picture`);
    const label = document.createElement("label");
    label.append(words, input);
    element.append(label);
    return input;
  });
  for (const input of [from, to]) {
    input?.addEventListener("input", () => {
      const [one, other] = [Number(from?.value), Number(to?.value)];
      select(Math.min(one, other), Math.max(one, other));
    });
  }
  /**
   * @param {number} first
   * @param {number} last
   */
  const set = (first, last) => {
    if (from) from.value = String(first);
    if (to) to.value = String(last);
  };
  return { element, set };
}
