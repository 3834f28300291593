// What every page gains with script: the size and root of the log as served now, and the modules a page asks for.

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
    link.textContent = `log ${head.size.toLocaleString("en")} · ${head.root.slice(0, 8)}`;
    link.title = `The public list of receipts has ${head.size.toLocaleString("en")} entries; ` +
      `${head.root.slice(0, 8)} begins the hash over all of them`;
    const plainly = document.createElement("span");
    plainly.className = "sr";
    plainly.textContent = "entries in the public list, and the beginning of the hash over all of them";
    link.append(" ", plainly);
    place.replaceChildren(link);
  } catch {
    // Offline or not served: the page says everything else by itself.
  }
}

void showHead();

for (const place of document.querySelectorAll("[data-module]")) {
  if (place instanceof HTMLElement && /^[a-z]+$/.test(place.dataset["module"] ?? "")) {
    void import(`./${place.dataset["module"]}.js`).then((module) => module.start(place, root));
  }
}
