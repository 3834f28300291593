// What every page gains with JavaScript: the size of the log as served now, the search box, copy buttons, and the modules a
// page requests.

// A script that a script has put there waits for no parser: the page may not be whole yet.
if (document.readyState === "loading") await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));

const root = new URL(document.body.dataset["root"] ?? "./", location.href);

/**
 * The first three lines of a checkpoint: origin, size, root.
 * @param {string} note
 * @returns {{origin: string, size: number, root: string} | null}
 */
export function readCheckpoint(note) {
  const [origin, size, hash] = note.split("\n");
  if (!origin || !hash || !/^(0|[1-9][0-9]{0,15})$/.test(size ?? "")) return null;
  return { origin, size: Number(size), root: hash };
}

async function showHead() {
  const place = document.getElementById("head");
  if (!place || location.protocol === "file:") return;
  try {
    const answer = await fetch(new URL("log/checkpoint", root));
    if (!answer.ok) return;
    const head = readCheckpoint(await answer.text());
    if (!head) return;
    const link = document.createElement("a");
    link.href = new URL("log/", root).href;
    link.textContent = `${head.size.toLocaleString("en")} log ${head.size === 1 ? "entry" : "entries"}`;
    link.title = `Root hash ${head.root}`;
    place.replaceChildren(link);
  } catch {
    // Offline or opened from a folder: the rest of the page is complete.
  }
}

/** The link to the search page becomes a box on wide screens; `/` focuses it, or opens the search page. */
function showSearch() {
  const link = document.getElementById("find");
  if (location.protocol === "file:" || !link || !(link instanceof HTMLAnchorElement)) return;
  const isSearchPage = document.querySelector("[data-module=search]") !== null;
  const form = document.createElement("form");
  form.className = "find";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Site");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search /";
  input.setAttribute("aria-label", "Search this site");
  input.maxLength = 200;
  form.append(input);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.href = `${link.href}?q=${encodeURIComponent(input.value.trim())}`;
  });
  if (!isSearchPage) {
    link.before(form);
    link.classList.add("short");
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    const box = isSearchPage ? document.querySelector("input[data-search]") : input;
    if (box instanceof HTMLInputElement && box.offsetParent !== null) box.focus();
    else location.href = link.href;
  });
}

/**
 * What a block of code is copied as: of a console session the commands alone, each with its here-document.
 * The rule is that of tests/console.py, which executes the same blocks.
 * @param {string} text
 */
export function copied(text) {
  /** @type {string[]} */
  const commands = [];
  let until = "";
  for (const line of text.split("\n")) {
    if (until !== "") {
      commands.push(line);
      if (line === until) until = "";
    } else if (line.startsWith("$ ")) {
      commands.push(line.slice(2));
      until = /<<-?\s*'?([A-Z]+)'?/.exec(line)?.[1] ?? "";
    }
  }
  return commands.length === 0 ? text : `${commands.join("\n")}\n`;
}

/** A button on every block of code that copies it. */
function showCopying() {
  if (!globalThis.navigator?.clipboard) return;
  for (const block of document.querySelectorAll("main pre")) {
    const code = block.querySelector("code") ?? block;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(copied(code.textContent ?? "")).then(
        () => { button.textContent = "Copied"; },
        () => { button.textContent = "Not copied"; },
      );
    });
    const around = document.createElement("div");
    around.className = "copyable";
    block.before(around);
    around.append(block, button);
  }
}

/** An open menu closes on Escape, which gives the focus back to its word, and on a click or focus elsewhere. */
function closeMenus() {
  const open = "details:is(.menu, .columns)[open]";
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll(open)) {
      const isInside = menu.contains(document.activeElement);
      menu.removeAttribute("open");
      if (isInside) menu.querySelector("summary")?.focus();
    }
  });
  for (const kind of ["click", "focusin"]) {
    document.addEventListener(kind, (event) => {
      for (const menu of document.querySelectorAll(open)) {
        if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute("open");
      }
    });
  }
}

/** The list of all pages shows the current one; the page itself does not move. */
function showCurrent() {
  const side = /** @type {HTMLElement | null} */ (document.querySelector(".side"));
  const here = side?.querySelector("[aria-current=page]");
  if (!side || !here) return;
  const below = here.getBoundingClientRect().bottom - side.getBoundingClientRect().bottom;
  if (below > 0) side.scrollTop += below + side.clientHeight / 2;
}

void showHead();
closeMenus();
showCurrent();
showSearch();
showCopying();
for (const day of document.querySelectorAll("[data-today]")) day.textContent = new Date().toISOString().slice(0, 10);

for (const place of document.querySelectorAll("[data-module]")) {
  if (place instanceof HTMLElement && /^[a-z]+$/.test(place.dataset["module"] ?? "")) {
    void import(`./${place.dataset["module"]}.js`).then((module) => module.start(place, root));
  }
}
