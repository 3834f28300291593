// What the evaluation form shows while it is filled in: scores, progress, and a sentence at each field at fault. Computes as `benchsite run rubric` does: with theme/verify.

import { scoreSheet } from "../../verify/rubric-scoring.js";
import { sheetOf } from "./sheet-draft.js";
import { control } from "./sheet-fields.js";

/** @typedef {import("../../verify/rational.js").Rational} Rational */
/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {import("./sheet-faults.js").Fault} Fault */
/** @typedef {import("./sheet-faults.js").Progress} Progress */

/**
 * Every figure that can be given by now, in two decimals; a dash for the others.
 * @param {Form} form
 * @param {Draft} draft
 * @returns {Map<string, string>} by name: universal, domain, raw, penalty, composite, U1 to U6, D1 to D5
 */
export function figures(form, draft) {
  const { universal, domain, raw, penalty, composite, scenarios } = scoreSheet(sheetOf(form, draft), form.parameters);
  /** @type {[string, Rational | null][]} */
  const found = [["universal", universal], ["domain", domain], ["raw", raw], ["penalty", penalty], ["composite", composite], ...scenarios];
  return new Map(found.map(([name, value]) => [name, value === null ? "–" : value.hundredths().toFixed(2)]));
}

/**
 * The scores and the progress in one sentence each.
 * @param {Map<string, string>} shown
 * @param {Progress} done
 */
export function summary(shown, done) {
  const scores = ["universal", "domain", "composite"].map((name) => `${name} ${(shown.get(name) ?? "–").replace("–", "not known yet")}`);
  const said = scores.join(", ");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. ${rest(done)}.`;
}

/** @param {Pick<Progress, "filled" | "total" | "wrong">} done */
export function rest({ filled, total, wrong }) {
  const errors = wrong === 0 ? "" : wrong === 1 ? ", 1 other error" : `, ${wrong} other errors`;
  return `${filled} of ${total} required fields filled${errors}`;
}

/**
 * The progress of each section, and of the whole sheet.
 * @param {HTMLFormElement} page
 * @param {Progress} done
 */
export function showProgress(page, done) {
  for (const bar of page.querySelectorAll("progress")) Object.assign(bar, { max: done.total, value: done.filled });
  for (const place of page.querySelectorAll("[data-count]")) {
    const { filled, total } = done.sections.get(place.getAttribute("data-count") ?? "") ?? { filled: 0, total: 0 };
    place.textContent = total === 0 ? "" : filled === total ? "✓" : `${filled}/${total}`;
  }
}

/**
 * The list of what is missing, each a link that puts the visitor into the field.
 * @param {HTMLElement} list
 * @param {HTMLFormElement} page
 * @param {readonly Fault[]} found
 */
export function listFaults(list, page, found) {
  list.replaceChildren(...found.map(({ name, said }) => {
    const link = document.createElement("a");
    link.textContent = said;
    link.href = `#${(groupOf(page, name) ?? control(page, name))?.id ?? "result"}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(page, name);
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
}

/**
 * @param {HTMLFormElement} page
 * @param {string} name
 */
export function go(page, name) {
  const wanted = control(page, name);
  for (let at = wanted?.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  wanted?.focus();
  (groupOf(page, name) ?? wanted)?.scrollIntoView({ block: "nearest" });
}

/**
 * A sentence at each field at fault, tied to it; fields that are in order lose theirs.
 * @param {HTMLFormElement} page
 * @param {readonly Fault[]} found
 */
export function markFaults(page, found) {
  const wanted = new Map(found.map(({ name, said }) => [`${name}-wrong`, { name, said }]));
  for (const old of page.querySelectorAll(".wrong")) {
    if (wanted.get(old.id)?.said !== old.textContent) lose(page, old);
    else wanted.delete(old.id);
  }
  for (const [id, { name, said }] of wanted) {
    const group = groupOf(page, name);
    const field = group ?? control(page, name);
    if (!field) continue;
    const words = document.createElement("p");
    words.className = "wrong";
    words.id = id;
    words.textContent = said;
    if (group) group.append(words);
    else (field.closest("label") ?? field).after(words);
    field.setAttribute("aria-describedby", [...described(field), id].join(" "));
    field.setAttribute("aria-invalid", "true");
  }
}

/**
 * @param {HTMLFormElement} page
 * @param {Element} words
 */
function lose(page, words) {
  for (const field of page.querySelectorAll("[aria-describedby]")) {
    const ids = described(field);
    if (!ids.includes(words.id)) continue;
    const left = ids.filter((id) => id !== words.id);
    if (left.length > 0) field.setAttribute("aria-describedby", left.join(" "));
    else field.removeAttribute("aria-describedby");
    field.removeAttribute("aria-invalid");
  }
  words.remove();
}

/** @param {Element} field */
function described(field) {
  return (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== "");
}

/**
 * The box around radio buttons, which a sentence about them belongs to.
 * @param {HTMLFormElement} page
 * @param {string} name
 */
function groupOf(page, name) {
  const one = control(page, name);
  return one?.type === "radio" ? one.closest("fieldset") : null;
}
