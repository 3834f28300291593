// The fields of an evaluator form and the draft they hold: read out of the page, put into it, and the rows that can be
// added (evidence, averaged questions). A control's name is the way to its value: `universal.U1.score`,
// `domain.D1.questions.0.criteria.accuracy.note`, `tests.hallucination.evidence.0.file`.

import { DIMENSIONS, MOST_EVIDENCE, MOST_QUESTIONS, SCENARIOS, blank, question } from "./sheet-draft.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Evidence} Evidence */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} Control */

const PROBE = "evaluator.model.falsePositiveProbe";

/**
 * The control of a name; of a group of radio buttons the one that is chosen, else the first.
 * @param {HTMLFormElement} page
 * @param {string} name
 * @returns {Control | null}
 */
export function control(page, name) {
  const all = controls(page, name);
  return all.find((one) => one instanceof HTMLInputElement && one.type === "radio" && one.checked) ?? all[0] ?? null;
}

/**
 * @param {HTMLFormElement} page
 * @param {string} name
 * @returns {Control[]}
 */
function controls(page, name) {
  return [...page.elements].filter((one) => one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement).filter((one) => one.name === name);
}

/**
 * All that the fields hold; rows of evidence with nothing in them are left out.
 * @param {HTMLFormElement} page
 * @param {Form} form
 * @returns {Draft}
 */
export function readFields(page, form) {
  const given = valuesOf(page);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  const draft = blank(form);
  for (const key of /** @type {const} */ (["name", "version", "vendor"])) draft.agent[key] = text(`agent.${key}`).trim();
  draft.evaluator = {
    name: text("evaluator.name").trim(),
    kind: text("evaluator.kind") || null,
    model: {
      name: text("evaluator.model.name").trim(),
      promptSha256: text("evaluator.model.promptSha256").trim(),
      saw: text("evaluator.model.saw"),
      probe: { planted: whole(text(`${PROBE}.planted`)), accepted: whole(text(`${PROBE}.accepted`)) },
    },
    pass: whole(text("evaluator.pass")),
    conflictOfInterest: text("evaluator.conflictOfInterest"),
    consentToPublish: text("evaluator.consentToPublish") === "true",
  };
  draft.session = { n: whole(text("session.n")), date: text("session.date") };
  const tested = text("disclosures.repeatabilityTested");
  draft.disclosures = { repeatabilityTested: tested === "" ? null : tested === "true", multiStep: text("disclosures.multiStep") || null };
  const mark = (/** @type {string} */ name) => ({ score: whole(text(`${name}.score`)), note: text(`${name}.note`) });
  for (const id of form.tests) {
    const name = `tests.${id}`;
    draft.tests[id] = { outcome: text(`${name}.outcome`) || null, note: text(`${name}.note`), evidence: evidenceIn(given, name) };
  }
  for (const id of DIMENSIONS) draft.universal[id] = { ...mark(`universal.${id}`), evidence: evidenceIn(given, `universal.${id}`) };
  for (const id of SCENARIOS) {
    const count = Math.max(1, rowsOf(page, `domain.${id}.questions`).length);
    const questions = Array.from({ length: count }, (_, place) => {
      const name = `domain.${id}.questions.${place}`;
      const asked = question(form);
      if (count > 1) asked.question = text(`${name}.question`);
      for (const criterion of form.criteria) asked.criteria[criterion.id] = mark(`${name}.criteria.${criterion.id}`);
      return asked;
    });
    draft.domain[id] = { questions, evidence: evidenceIn(given, `domain.${id}`) };
  }
  return draft;
}

/**
 * What every control says, by name; radio buttons and boxes that are not ticked say nothing.
 * @param {HTMLFormElement} page
 * @returns {Map<string, string>}
 */
function valuesOf(page) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const one of page.elements) {
    if (!(one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) || one.name === "") continue;
    if (one instanceof HTMLInputElement && (one.type === "radio" || one.type === "checkbox") && !one.checked) continue;
    found.set(one.name, one.value);
  }
  return found;
}

/**
 * @param {Map<string, string>} given
 * @param {string} name
 * @returns {Evidence[]}
 */
function evidenceIn(given, name) {
  const found = [];
  for (let place = 0; given.has(`${name}.evidence.${place}.excerpt`); place += 1) {
    const file = (given.get(`${name}.evidence.${place}.file`) ?? "").trim();
    const excerpt = given.get(`${name}.evidence.${place}.excerpt`) ?? "";
    if (file !== "" || excerpt.trim() !== "") found.push({ ...(file === "" ? {} : { file }), ...(excerpt.trim() === "" ? {} : { excerpt }) });
  }
  return found;
}

/** @param {string} text */
function whole(text) {
  return /^[0-9]{1,9}$/.test(text) ? Number(text) : null;
}

/**
 * Put a draft into the fields.
 * @param {HTMLFormElement} page
 * @param {Form} form
 * @param {Draft} draft
 */
export function fillFields(page, form, draft) {
  /** @type {Map<string, string>} */
  const wanted = new Map();
  const put = (/** @type {string} */ name, /** @type {string | number | boolean | null} */ value) => wanted.set(name, String(value ?? ""));
  const mark = (/** @type {string} */ name, /** @type {{score: number | null, note: string} | undefined} */ given) => {
    put(`${name}.score`, given?.score ?? null);
    put(`${name}.note`, given?.note ?? "");
  };
  const evidence = (/** @type {string} */ name, /** @type {readonly Evidence[]} */ items) => {
    setRows(page, `${name}.evidence`, items.length);
    for (const [place, { file = "", excerpt = "" }] of items.entries()) {
      put(`${name}.evidence.${place}.file`, file);
      put(`${name}.evidence.${place}.excerpt`, excerpt);
    }
  };
  const { model, ...evaluator } = draft.evaluator;
  const { probe, ...described } = model;
  const plain = [["agent", draft.agent], ["evaluator", evaluator], ["evaluator.model", described], [PROBE, probe], ["session", draft.session], ["disclosures", draft.disclosures]];
  for (const [part, held] of /** @type {[string, {[key: string]: string | number | boolean | null}][]} */ (plain)) {
    for (const [key, value] of Object.entries(held)) put(`${part}.${key}`, value);
  }
  for (const [id, test] of Object.entries(draft.tests)) {
    put(`tests.${id}.outcome`, test.outcome);
    put(`tests.${id}.note`, test.note);
    evidence(`tests.${id}`, test.evidence);
  }
  for (const [id, rating] of Object.entries(draft.universal)) {
    mark(`universal.${id}`, rating);
    evidence(`universal.${id}`, rating.evidence);
  }
  for (const [id, scenario] of Object.entries(draft.domain)) {
    setRows(page, `domain.${id}.questions`, scenario.questions.length);
    for (const [place, asked] of scenario.questions.entries()) {
      put(`domain.${id}.questions.${place}.question`, asked.question);
      for (const { id: key } of form.criteria) mark(`domain.${id}.questions.${place}.criteria.${key}`, asked.criteria[key]);
    }
    evidence(`domain.${id}`, scenario.evidence);
  }
  for (const one of page.elements) {
    if ((one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) && one.name !== "") set(one, wanted.get(one.name) ?? "");
  }
}

/**
 * @param {Control} one
 * @param {string} value
 */
function set(one, value) {
  if (one instanceof HTMLInputElement && (one.type === "radio" || one.type === "checkbox")) one.checked = one.value === value;
  else one.value = value;
}

/**
 * @param {HTMLFormElement} page
 * @param {string} list its name: `domain.D1.questions`
 */
function listOf(page, list) {
  return [...page.querySelectorAll("[data-rows]")].find((one) => one instanceof HTMLElement && one.dataset["rows"] === list) ?? null;
}

/**
 * @param {HTMLFormElement} page
 * @param {string} list
 */
function rowsOf(page, list) {
  return [...(listOf(page, list)?.children ?? [])].filter((one) => one instanceof HTMLElement);
}

/**
 * As many rows as wanted, at least one.
 * @param {HTMLFormElement} page
 * @param {string} list
 * @param {number} count
 */
function setRows(page, list, count) {
  const rows = rowsOf(page, list);
  for (const row of rows.slice(Math.max(1, count))) row.remove();
  for (let place = rows.length; place < count; place += 1) addRow(page, list);
  numbered(page, list);
}

/**
 * One empty row more; what it holds can be filled in at once.
 * @param {HTMLFormElement} page
 * @param {string} list
 * @returns {Control | null} its first control, or null where there is no room
 */
export function addRow(page, list) {
  const rows = rowsOf(page, list);
  const last = rows.at(-1);
  if (!last || rows.length >= (list.endsWith("questions") ? MOST_QUESTIONS : MOST_EVIDENCE)) return null;
  const made = last.cloneNode(true);
  if (!(made instanceof HTMLElement)) return null;
  for (const one of made.querySelectorAll("input, textarea")) {
    if (one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement) set(one, "");
    one.removeAttribute("aria-invalid");
  }
  for (const one of made.querySelectorAll(".wrong")) one.remove();
  // Renamed before it joins the page: radio buttons of one name would put each other out.
  rename(made, list, rows.length);
  last.after(made);
  numbered(page, list);
  const first = made.querySelector("input, textarea");
  return first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement ? first : null;
}

/**
 * @param {HTMLFormElement} page
 * @param {string} list
 * @param {HTMLElement} row one of its rows, not the only one
 */
export function removeRow(page, list, row) {
  if (rowsOf(page, list).length < 2) return;
  row.remove();
  numbered(page, list);
}

/**
 * Names and numbers of the rows in order; what makes sense of several only is hidden where there is one.
 * @param {HTMLFormElement} page
 * @param {string} list
 */
function numbered(page, list) {
  const rows = rowsOf(page, list);
  for (const [place, row] of rows.entries()) {
    rename(row, list, place);
    for (const one of row.querySelectorAll("[data-number]")) one.textContent = String(place + 1);
    for (const one of row.querySelectorAll("[data-several]")) if (one instanceof HTMLElement) one.hidden = rows.length < 2;
  }
}

/**
 * @param {HTMLElement} row
 * @param {string} list
 * @param {number} place
 */
function rename(row, list, place) {
  const old = new RegExp(`^${list.replaceAll(".", "\\.")}\\.[0-9]+\\.`);
  for (const one of row.querySelectorAll("[name], [id], [for], [aria-describedby]")) {
    for (const key of ["name", "id", "for", "aria-describedby"]) {
      const value = one.getAttribute(key);
      if (value !== null) one.setAttribute(key, value.split(" ").map((part) => part.replace(old, `${list}.${place}.`)).join(" "));
    }
  }
}

/**
 * The name of a field, or nothing.
 * @param {EventTarget | null} target
 */
export function nameOf(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement ? target.name : "";
}
