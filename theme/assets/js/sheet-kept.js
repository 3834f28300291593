// The draft that this browser keeps, one for each version and template. Owns its key and its form, which is that of the
// downloaded sheet. A browser without storage keeps nothing, and the page says so.

import { draftOf, sheetOf } from "./sheet-draft.js";
import { LONGEST, SheetError, read, write } from "./sheet-yaml.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Form} Form */

/** @param {Form} form */
export function keyOf(form) {
  return `benchsite:sheet:rubric:${form.version}:${form.template}`;
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
 * The draft that was kept; null for none, a sentence for one that cannot be used.
 * @param {Form} form
 * @returns {Draft | string | null}
 */
export function recall(form) {
  try {
    const kept = localStorage.getItem(keyOf(form));
    return kept === null ? null : fromText(form, kept);
  } catch (error) {
    return error instanceof SheetError ? `The draft kept in this browser cannot be used. ${error.message}` : NO_STORAGE;
  }
}

/** What a visitor is told whose browser keeps nothing. */
export const NO_STORAGE = "This browser keeps no draft: download the unfinished draft before you leave this page.";

/**
 * @param {Form} form
 * @param {Draft} draft
 * @returns {string} what became of it
 */
export function keep(form, draft) {
  try {
    localStorage.setItem(keyOf(form), asText(form, draft));
    return "The draft is kept in this browser.";
  } catch (error) {
    return error instanceof SheetError ? `The draft is not kept. ${error.message}` : NO_STORAGE;
  }
}

/** @param {Form} form */
export function forget(form) {
  try {
    localStorage.removeItem(keyOf(form));
  } catch {
    // Without storage there is nothing to delete.
  }
}
