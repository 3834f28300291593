// Filters by what rows differ in: one select each. The choice is in the address, so that it can be shared.

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
