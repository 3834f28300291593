// The draft that this browser keeps, one for each site, version and template. Owns its key and its form, which is that of
// the downloaded sheet, whether it was handed over, and the drafts that could not be used and were set aside. A browser
// without storage keeps nothing, and the page says so.

import { draftOf, sheetOf } from "./sheet-draft.js";
import { LONGEST, SheetError, read, write } from "./sheet-yaml.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Form} Form */

/** Several sites may share an origin, and with it this storage. */
const SITE = new URL("../../", import.meta.url).pathname;
const HANDED = ":handed";
const ASIDE = ":aside";

/** @param {Form} form */
export function keyOf(form) {
  return `benchsite:sheet:rubric:${SITE}:${form.version}:${form.template}`;
}

/**
 * A draft as the file that is downloaded.
 * @param {Form} form
 * @param {Draft} draft
 * @throws {SheetError} it would be longer than a sheet may be, or holds what no file can
 */
export function asText(form, draft) {
  const text = write(sheetOf(form, draft), `An evaluator's sheet for ${form.template}, rubric ${form.version}. Hand it in with: benchsite run rubric FILE`);
  if (new TextEncoder().encode(text).length <= LONGEST) return text;
  throw new SheetError(`A sheet has at most ${LONGEST.toLocaleString("en")} bytes: put long passages into files beside it.`);
}

/**
 * @param {Form} form
 * @param {string} text
 * @throws {SheetError} it is no sheet of this form
 */
export function fromText(form, text) {
  return draftOf(form, read(text));
}

/**
 * The draft that was kept; null for none, a sentence for one that cannot be used, which is set aside.
 * @param {Form} form
 * @returns {Draft | string | null}
 */
export function recall(form) {
  try {
    const kept = localStorage.getItem(keyOf(form));
    if (kept === null) return null;
    try {
      return fromText(form, kept);
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
      setAside(form, kept);
      return `The draft kept in this browser cannot be used, and is set aside. ${error.message}`;
    }
  } catch {
    return NO_STORAGE;
  }
}

/**
 * Out of the way of the next draft, behind those set aside before.
 * @param {Form} form
 * @param {string} text
 */
function setAside(form, text) {
  const before = asideOf(form);
  localStorage.setItem(keyOf(form) + ASIDE, before === "" ? text : `${before}---\n${text}`);
  forget(form);
}

/**
 * What was set aside; empty where nothing was.
 * @param {Form} form
 */
export function asideOf(form) {
  try {
    return localStorage.getItem(keyOf(form) + ASIDE) ?? "";
  } catch {
    return "";
  }
}

/**
 * Whether the draft that is kept was saved as a finished sheet.
 * @param {Form} form
 */
export function wasHanded(form) {
  try {
    return localStorage.getItem(keyOf(form) + HANDED) !== null;
  } catch {
    return false;
  }
}

/** What a visitor is told whose browser keeps nothing. */
export const NO_STORAGE = "This browser keeps no draft: download the unfinished draft before you leave this page.";

/**
 * @param {Form} form
 * @param {Draft} draft
 * @param {boolean} [handed] whether it was saved as a finished sheet
 * @returns {string} what became of it
 */
export function keep(form, draft, handed = false) {
  try {
    localStorage.setItem(keyOf(form), asText(form, draft));
    if (handed) localStorage.setItem(keyOf(form) + HANDED, "");
    else localStorage.removeItem(keyOf(form) + HANDED);
    return "The draft is kept in this browser.";
  } catch (error) {
    return error instanceof SheetError ? `The draft is not kept. ${error.message}` : NO_STORAGE;
  }
}

/**
 * @param {Form} form
 * @param {string} [what] the draft, unless said otherwise
 */
export function forget(form, what = "") {
  try {
    localStorage.removeItem(keyOf(form) + what);
    if (what === "") localStorage.removeItem(keyOf(form) + HANDED);
  } catch {
    // Without storage there is nothing to delete.
  }
}

/** @param {Form} form */
export function forgetAside(form) {
  forget(form, ASIDE);
}
