// The newest head of a log that this browser has seen. Storage may be missing, full or forbidden: it then forgets.

/** @typedef {import("./types.js").Head} Head */

/** @param {string} origin */
const place = (origin) => `benchsite:head:${origin}`;

const LONGEST_NOTE = 1 << 16;

/**
 * The remembered head; null where there is none or what is stored is not one.
 * @param {string | null} origin
 * @returns {Head | null}
 */
export function recall(origin) {
  if (origin === null) return null;
  try {
    const found = JSON.parse(localStorage.getItem(place(origin)) ?? "null");
    const sound = found !== null && typeof found === "object" && found.origin === origin &&
      Number.isSafeInteger(found.size) && found.size >= 0 &&
      typeof found.root === "string" && /^[A-Za-z0-9+/]{43}=$/.test(found.root) &&
      typeof found.note === "string" && found.note.length <= LONGEST_NOTE;
    return sound ? { origin, size: found.size, root: found.root, note: found.note } : null;
  } catch {
    return null;
  }
}

/**
 * Remember a head in place of the one it was held against. What another tab has stored meanwhile stays where it is larger.
 * @param {Head} head
 * @param {Head | null} [against] what was recalled before the check
 * @returns {boolean} whether the list is remembered
 */
export function remember({ origin, size, root, note }, against = null) {
  if (note.length > LONGEST_NOTE) return false;
  const stored = recall(origin);
  const meanwhile = stored !== null && (against === null || stored.size !== against.size || stored.root !== against.root);
  if (meanwhile && stored.size >= size) return stored.size > size || stored.root === root;
  try {
    localStorage.setItem(place(origin), JSON.stringify({ origin, size, root, note }));
    return true;
  } catch {
    return false;
  }
}

/** The colors that the visitor chose on the other pages of this site (theme/assets/js/scheme.js). */
export function useScheme() {
  try {
    const chosen = localStorage.getItem("benchsite-scheme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset["scheme"] = chosen;
  } catch {
    // Without storage the system decides.
  }
}
