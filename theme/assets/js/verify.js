// Verification in place: on a certificate, in the rows of a board, and of the log itself. Every link it takes over leads
// to verify.html without script; the engine is loaded on the first click.

/** @typedef {import("../../verify/types.js").Trust} Trust */
/** @typedef {typeof import("../../verify/client.js")} Client */
/** @typedef {typeof import("../../verify/present.js")} Present */
/** @typedef {typeof import("../../verify/memory.js")} Memory */
/** @typedef {typeof import("../../verify/offered.js")} Offered */

const SHOWN_OF_A_NAME = 80;

/** Said here too: `TROUBLES.load` is among the modules that did not load. */
const NOT_LOADED = "the verification engine could not be loaded. Reload the page, or verify on your machine: benchsite verify";

/** @returns {Promise<Client & Present & Memory & Offered>} */
async function engine() {
  const [client, present, memory, offered] = await Promise.all([
    import("../../verify/client.js"), import("../../verify/present.js"),
    import("../../verify/memory.js"), import("../../verify/offered.js"),
  ]).catch(() => {
    throw new Error(NOT_LOADED);
  });
  return { ...client, ...present, ...memory, ...offered };
}

/**
 * @param {URL} root
 * @returns {Promise<Trust>}
 */
async function trustOf(root) {
  const settings = /** @type {const} */ ({ cache: "no-cache", credentials: "omit", redirect: "error" });
  const answer = await fetch(new URL("log/trust.json", root), settings).catch(() => null);
  if (!answer?.ok) throw new Error("log/trust.json could not be fetched");
  return answer.json().catch(() => {
    throw new Error("log/trust.json could not be parsed");
  });
}

/** @param {URL} root */
function style(root) {
  const href = new URL("verify/result.css", root).href;
  if ([...document.querySelectorAll("link[rel=stylesheet]")].some((link) => link instanceof HTMLLinkElement && link.href === href)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}

/**
 * @param {HTMLElement} place holds links to the verify page, or is where the log's own check goes
 * @param {URL} root
 */
export function start(place, root) {
  if (location.protocol === "file:") return;
  style(root);
  if (place.dataset["check"] === "log") {
    void checkTheLog(place, root);
    return;
  }
  place.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-verify]") : null;
    if (!(link instanceof HTMLAnchorElement)) return;
    // A click for a new tab opens the verify page there.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (link.getAttribute("aria-disabled") === "true") return;
    void verify(link, place, root);
  });
}

/**
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} place
 * @param {URL} root
 */
async function verify(link, place, root) {
  const said = status(place);
  const words = link.textContent ?? "";
  link.setAttribute("aria-disabled", "true");
  said.textContent = "Checking";
  if (place.dataset["result"] === "here") link.textContent = "Checking";
  try {
    const result = await resultOf(new URL(link.dataset["verify"] ?? "", location.href), link, root, place.dataset["result"] === "here" ? "h2" : "h3");
    if (place.dataset["result"] === "here") showHere(place, result);
    else showAside(link, result);
    said.textContent = `Checked: ${result.querySelector(".verdict")?.textContent ?? ""}`;
  } catch (error) {
    said.textContent = `Not checked: ${error instanceof Error ? error.message : "unknown error"}.`;
    said.className = "small bad";
  } finally {
    link.textContent = words;
    link.removeAttribute("aria-disabled");
  }
}

/** @param {URL} root @returns {import("../../verify/client.js").Source} */
function sourceAt(root) {
  return (track) => new URL(`verify/worker${track === null ? "" : `-${track}`}.js`, root);
}

/**
 * @param {URL} address of the receipt's file
 * @param {HTMLAnchorElement} link
 * @param {URL} root
 * @param {"h2" | "h3"} heading
 * @param {Uint8Array[]} [given] evidence that the visitor added
 */
async function resultOf(address, link, root, heading, given = []) {
  const { check, present, recall, receiptId, remember, readAddress, readFile, MOST_BESIDE } = await engine();
  const [bytes, trust] = await Promise.all([readAddress(address), trustOf(root)]);
  const seen = recall(trust.origin);
  const wanted = receiptId(new URL(link.href).searchParams.get("id"));
  const report = await check({ bytes, trust, base: root.href, proof: null, key: null, wanted, seen, given }, sourceAt(root));
  const remembers = report.keep && report.head !== null ? remember(report.head, seen) : true;
  const fileName = address.pathname.split("/").pop() ?? "";
  const saved = link.href.split("?")[0] ?? "";
  const result = present(report, { fileName, seen, remembers, heading, saved, add: (file) => void again(file) });
  /** @param {File} file */
  async function again(file) {
    const added = await readFile(file, MOST_BESIDE);
    const next = await resultOf(address, link, root, heading, [...given, added]);
    result.replaceWith(next);
    focusVerdict(next);
  }
  return result;
}

/** The line in which a screen reader hears what goes on. @param {HTMLElement} place */
function status(place) {
  const next = place.nextElementSibling;
  if (next instanceof HTMLElement && next.dataset["said"] !== undefined) {
    next.className = "sr";
    return next;
  }
  const line = document.createElement("p");
  line.className = "sr";
  line.dataset["said"] = "";
  line.setAttribute("role", "status");
  place.after(line);
  return line;
}

/**
 * @param {HTMLElement} place
 * @param {HTMLElement} result
 */
function showHere(place, result) {
  const card = place.closest(".cert") ?? place;
  card.parentElement?.querySelector(":scope > .result")?.remove();
  card.after(result);
  focusVerdict(result);
}

/**
 * A board keeps its place: the result opens over it and goes away again.
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} result
 */
function showAside(link, result) {
  const dialog = document.createElement("dialog");
  dialog.className = "verifier";
  const bar = document.createElement("div");
  bar.className = "bar";
  const name = document.createElement("p");
  name.append("Receipt of ", quoted(link.dataset["name"] ?? "this row"), ", verified in this browser");
  name.id = "verifier-name";
  dialog.setAttribute("aria-labelledby", name.id);
  const close = document.createElement("button");
  close.type = "button";
  close.className = "plain";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  bar.append(name, close);
  dialog.append(bar, result);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  focusVerdict(result);
}

/** Foreign text, in its own box. @param {string} name */
function quoted(name) {
  const made = document.createElement("q");
  made.className = "told";
  made.textContent = name.length > SHOWN_OF_A_NAME ? `${name.slice(0, SHOWN_OF_A_NAME)}…` : name;
  return made;
}

/** @param {HTMLElement} result */
function focusVerdict(result) {
  const heading = result.querySelector(".verdict");
  if (heading instanceof HTMLElement) heading.focus();
}

/**
 * @param {HTMLElement} place
 * @param {URL} root
 */
async function checkTheLog(place, root) {
  try {
    const { checkLog, presentLog, recall, remember } = await engine();
    const trust = await trustOf(root);
    const seen = recall(trust.origin);
    const found = await checkLog(trust, root.href, seen, sourceAt(root));
    const kept = found.keep && found.head !== null ? remember(found.head, seen) : recall(trust.origin) !== null;
    place.replaceChildren(presentLog(found, { seen, kept }));
  } catch {
    place.textContent = "The log could not be checked.";
  }
}
