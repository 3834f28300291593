// Folded parts of a standard: a link into one opens it, and print shows all of them.

/** @param {string} hash */
function reveal(hash) {
  let name = hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    // Not ours: no part is named so.
  }
  const target = document.getElementById(name);
  let folded = target?.closest("details") ?? null;
  if (!target || !folded) return;
  while (folded) {
    folded.open = true;
    folded = folded.parentElement?.closest("details") ?? null;
  }
  target.scrollIntoView();
}

/** @type {HTMLDetailsElement[]} */
let opened = [];

/** Requested by a page through `data-module`; links into other folded parts and printing follow. */
export function start() {
  addEventListener("hashchange", () => reveal(location.hash));
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details")].filter((part) => !part.open);
    for (const part of opened) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    opened = [];
  });
  reveal(location.hash);
}
