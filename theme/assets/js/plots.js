// The scatters of a leaderboard, of which one is shown: its horizontal axis is in the address.

import { remember } from "./facets.js";

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button[data-x]")]);
  const figures = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("[data-plot]")]);
  const words = place.querySelector("[data-x-words]");
  const asked = new URL(location.href).searchParams.get("x");

  /** @param {string | undefined} x */
  function show(x) {
    for (const figure of figures) figure.hidden = figure.dataset["plot"] !== x;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset["x"] === x));
      if (button.dataset["x"] === x && words) words.textContent = button.textContent;
    }
  }
  for (const button of buttons) {
    button.disabled = false;
    button.addEventListener("click", () => {
      show(button.dataset["x"]);
      remember({ x: button === buttons[0] ? "" : button.dataset["x"] ?? "" });
    });
  }
  if (asked !== null && buttons.some((button) => button.dataset["x"] === asked)) show(asked);
}
