// Light or dark, before the first paint: a classic script in <head>, so that nothing flashes and file:// works.
(() => {
  "use strict";
  const KEY = "benchsite-scheme";
  const root = document.documentElement;

  /** @returns {string} "light", "dark", or "" for the system setting */
  function stored() {
    try {
      const value = localStorage.getItem(KEY) ?? "";
      return value === "light" || value === "dark" ? value : "";
    } catch {
      return "";
    }
  }

  /** @param {string} value */
  function apply(value) {
    if (value) root.dataset["scheme"] = value;
    else delete root.dataset["scheme"];
  }

  apply(stored());
  // The page shows a state that its address asks for: what a module will reorder is not painted before.
  if (location.search) root.dataset["asked"] = "";

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("scheme");
    if (!(button instanceof HTMLButtonElement)) return;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const isDark = (stored() || (dark.matches ? "dark" : "light")) === "dark";
      button.textContent = isDark ? "\u2600\uFE0E" : "\u25D0";
      button.setAttribute("aria-label", isDark ? "Use light colors" : "Use dark colors");
      button.title = button.getAttribute("aria-label") ?? "";
    };
    button.addEventListener("click", () => {
      const next = (stored() || (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // Without storage the choice lasts for this page.
      }
      apply(next);
      show();
    });
    dark.addEventListener("change", show);
    show();
    button.hidden = false;
  });

  // Modules cannot be loaded from a folder; pages are whole without them.
  const own = document.currentScript;
  if (location.protocol !== "file:" && own instanceof HTMLScriptElement) {
    const script = document.createElement("script");
    script.type = "module";
    script.src = new URL("page.js", own.src).href;
    document.head.append(script);
  }

  // Opened from a folder, a link to "x/" shows a listing: name the file instead.
  if (location.protocol === "file:") {
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(link instanceof HTMLAnchorElement) || link.protocol !== "file:" || !link.pathname.endsWith("/")) return;
      link.pathname += "index.html";
    }, true);
  }
})();
