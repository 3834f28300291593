// Filters by what rows differ in: a select each, or toggle buttons with counts that the page has. The choice is in the
// address, so that it can be shared.

/** What holds of a row, by the filter's name. @typedef {Readonly<Record<string, readonly string[]>>} Values */

/**
 * Whether a row has every chosen value; an empty choice keeps all.
 * @param {Values} values
 * @param {Readonly<Record<string, string>>} chosen
 * @returns {boolean}
 */
export function has(values, chosen) {
  return Object.entries(chosen).every(([name, value]) => value === "" || (values[name] ?? []).includes(value));
}

/**
 * Every value of a filter once, in order.
 * @param {readonly Values[]} rows
 * @param {string} name
 * @returns {string[]}
 */
export function valuesOf(rows, name) {
  return [...new Set(rows.flatMap((row) => row[name] ?? []))].sort();
}

/**
 * Write one part of the page's state into the address; an empty value takes it out.
 * @param {Readonly<Record<string, string>>} state
 */
export function remember(state) {
  const next = new URL(location.href);
  for (const [name, value] of Object.entries(state)) {
    if (value) next.searchParams.set(name, value);
    else next.searchParams.delete(name);
  }
  history.replaceState(null, "", next);
}

/**
 * Add a select for every filter that has two values or more.
 * @param {Readonly<Record<string, string>>} labels by the filter's name
 * @param {readonly Values[]} rows
 * @param {() => void} changed
 * @returns {{controls: HTMLElement[], keeps: (values: Values) => boolean}}
 */
export function filters(labels, rows, changed) {
  const address = new URL(location.href);
  /** @type {Map<string, HTMLSelectElement>} */
  const selects = new Map();
  const controls = [];
  for (const [name, words] of Object.entries(labels)) {
    const values = valuesOf(rows, name);
    if (values.length < 2) continue;
    const select = document.createElement("select");
    for (const value of ["", ...values]) select.append(new Option(value || "all", value));
    const wanted = address.searchParams.get(name) ?? "";
    select.value = values.includes(wanted) ? wanted : "";
    select.addEventListener("change", () => {
      remember({ [name]: select.value });
      changed();
    });
    const label = document.createElement("label");
    label.append(`${words} `, select);
    selects.set(name, select);
    controls.push(label);
  }
  const chosen = () => Object.fromEntries([...selects].map(([name, select]) => [name, select.value]));
  return { controls, keeps: (values) => has(values, chosen()) };
}

/**
 * Whether a row has one of the chosen values of every filter with a choice.
 * @param {Values} values
 * @param {ReadonlyMap<string, ReadonlySet<string>>} chosen
 * @param {string} [without] a filter that is not asked
 * @returns {boolean}
 */
export function hasAny(values, chosen, without) {
  return [...chosen].every(([name, wanted]) =>
    name === without || wanted.size === 0 || (values[name] ?? []).some((value) => wanted.has(value)));
}

/**
 * Bring toggle buttons to life: `[data-facet]` groups with `[data-value]` buttons. Unknown values of the address are
 * ignored.
 * @param {HTMLElement} place
 * @param {() => void} changed
 * @returns {{keeps: (values: Values) => boolean, count: (rows: readonly Values[]) => void, active: () => number}}
 */
export function chips(place, changed) {
  const address = new URL(location.href);
  /** @type {Map<string, Set<string>>} */
  const chosen = new Map();
  const buttons = [...place.querySelectorAll("[data-facet] [data-value]")].flatMap((button) => {
    if (!(button instanceof HTMLButtonElement)) return [];
    const group = button.closest("[data-facet]");
    const name = (group instanceof HTMLElement ? group.dataset["facet"] : "") ?? "";
    const value = button.dataset["value"] ?? "";
    const wanted = chosen.get(name) ?? new Set();
    if (address.searchParams.getAll(name).includes(value)) wanted.add(value);
    chosen.set(name, wanted);
    return [{ button, name, value, wanted }];
  });
  for (const { button, name, value, wanted } of buttons) {
    button.setAttribute("aria-pressed", String(wanted.has(value)));
    button.addEventListener("click", () => {
      if (!wanted.delete(value)) wanted.add(value);
      button.setAttribute("aria-pressed", String(wanted.has(value)));
      const next = new URL(location.href);
      next.searchParams.delete(name);
      for (const one of wanted) next.searchParams.append(name, one);
      history.replaceState(null, "", next);
      changed();
    });
  }
  return {
    keeps: (values) => hasAny(values, chosen),
    /** Each button's number: rows that the other filters keep. */
    count: (rows) => {
      for (const { button, name, value, wanted } of buttons) {
        const found = rows.filter((values) => (values[name] ?? []).includes(value) && hasAny(values, chosen, name)).length;
        const number = button.querySelector("b");
        if (number) number.textContent = found.toLocaleString("en");
        button.disabled = found === 0 && !wanted.has(value);
      }
    },
    active: () => [...chosen.values()].reduce((sum, wanted) => sum + wanted.size, 0),
  };
}
