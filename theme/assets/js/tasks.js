// The table of a benchmark's tasks with a filter; it is whole without JavaScript.

/**
 * Whether a row is wanted.
 * @param {{text: string, domain: string, acts: boolean, split: boolean}} row
 * @param {{words: string, domain: string, acts: boolean, split: boolean}} wanted
 * @returns {boolean}
 */
export function keeps(row, wanted) {
  return (
    (wanted.domain === "" || row.domain === wanted.domain) &&
    (!wanted.acts || row.acts) &&
    (!wanted.split || row.split) &&
    (wanted.words === "" || row.text.toLowerCase().includes(wanted.words))
  );
}

/**
 * @param {HTMLElement} place
 */
export function start(place) {
  const tools = place.querySelector(".tools");
  const rows = [...(place.querySelector("table")?.tBodies[0]?.rows ?? [])];
  if (!tools || rows.length === 0) return;

  const words = document.createElement("input");
  words.type = "search";
  words.value = new URL(location.href).searchParams.get("q") ?? "";
  tools.append(labeled("Filter ", words));

  const domain = document.createElement("select");
  const names = [...new Set(rows.map((row) => row.dataset["domain"] ?? ""))];
  domain.append(new Option("all", ""), ...names.map((name) => new Option(name.replaceAll("_", " "), name)));
  tools.append(labeled("Domain ", domain));

  const split = box("systems differ");
  const acts = box("action needed");
  const said = document.createElement("span");
  said.className = "soft";
  said.setAttribute("aria-live", "polite");
  tools.append(said);

  /** @param {string} text @returns {HTMLInputElement} */
  function box(text) {
    const made = document.createElement("input");
    made.type = "checkbox";
    tools?.append(labeled("", made, ` ${text}`));
    return made;
  }

  function show() {
    const wanted = { words: words.value.trim().toLowerCase(), domain: domain.value, acts: acts.checked, split: split.checked };
    let visible = 0;
    for (const row of rows) {
      const { domain: own = "" } = row.dataset;
      const found = { text: row.textContent ?? "", domain: own, acts: "acts" in row.dataset, split: "split" in row.dataset };
      row.hidden = !keeps(found, wanted);
      visible += row.hidden ? 0 : 1;
    }
    said.textContent = `${visible.toLocaleString("en")} of ${rows.length.toLocaleString("en")} tasks`;
  }
  for (const control of [words, domain, split, acts]) control.addEventListener("input", show);
  show();
}

/**
 * @param {string} before
 * @param {HTMLElement} control
 * @param {string} [after]
 * @returns {HTMLLabelElement}
 */
function labeled(before, control, after = "") {
  const label = document.createElement("label");
  label.append(before, control, after);
  return label;
}
