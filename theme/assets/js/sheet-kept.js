// The draft that this browser keeps, one for each site, version and template. Owns its key and its form, which is that of
// the downloaded sheet, whether it was handed over, and the drafts that were set aside: those that could not be used, and
// those that another took the place of before a file held them. A browser without storage keeps nothing, and the page
// says so. Refuses to replace a draft that another tab kept, or one that there was no room to set aside.

import { draftOf, fileName, sheetOf } from "./sheet-draft.js";
import { LONGEST, SheetError, read, write } from "./sheet-yaml.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Form} Form */

/** Several sites may share an origin, and with it this storage. */
const SITE = new URL("../../", import.meta.url).pathname;
const HANDED = ":handed";
const ASIDE = ":aside";
/**
 * By key, what this page has read or written there; anything else comes from another tab.
 * @type {Map<string, string>}
 */
const known = new Map();
/**
 * By key, what should have been set aside and found no room.
 * @type {Map<string, string>}
 */
const held = new Map();

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
  const text = write(sheetOf(form, draft), `Evaluation sheet for ${form.template}, rubric ${form.version}. Score it with: benchsite run rubric FILE`);
  if (new TextEncoder().encode(text).length <= LONGEST) return text;
  throw new SheetError(`A sheet has at most ${LONGEST.toLocaleString("en")} bytes: put long passages into evidence files.`);
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
      const draft = fromText(form, kept);
      known.set(keyOf(form), kept);
      return draft;
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
      const done = moveAside(form, kept) ? "Download it as a recovered draft." : "Storage is full: download it first, since nothing is stored before.";
      return `The stored draft cannot be used. ${done} ${error.message}`;
    }
  } catch {
    return NO_STORAGE;
  }
}

/**
 * Out of the way of the next draft, behind those set aside before; false where there is no room for it, and it stays.
 * @param {Form} form
 * @param {string} text
 */
function moveAside(form, text) {
  const key = keyOf(form);
  const all = behind(listed(key), text);
  remove(key); // first, since there may be no room for it twice
  try {
    localStorage.setItem(key + ASIDE, all);
    return true;
  } catch {
    held.set(key, text);
    localStorage.setItem(key, text);
    return false;
  }
}

/**
 * A copy of a draft behind those set aside before, since another takes its place.
 * @param {Form} form
 * @param {Draft} draft
 * @returns {boolean} false where this browser cannot keep it
 */
export function setAside(form, draft) {
  try {
    const key = keyOf(form);
    localStorage.setItem(key + ASIDE, behind(listed(key), asText(form, draft)));
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string[]} before
 * @param {string} text not set aside a second time where it is already
 */
function behind(before, text) {
  return JSON.stringify(before.includes(text) ? before : [...before, text]);
}

/**
 * The drafts that were set aside, oldest first; whatever else stands in their place is given out whole.
 * @param {string} key
 * @returns {string[]}
 */
function listed(key) {
  const kept = localStorage.getItem(key + ASIDE);
  if (kept === null) return [];
  try {
    const found = JSON.parse(kept);
    if (Array.isArray(found) && found.every((one) => typeof one === "string")) return found;
  } catch {
    // It is no list.
  }
  return [kept];
}

/**
 * What was set aside, each draft as a file, oldest first.
 * @param {Form} form
 * @returns {string[]}
 */
export function asideOf(form) {
  const late = held.get(keyOf(form));
  const last = late === undefined ? [] : [late];
  try {
    return [...listed(keyOf(form)), ...last];
  } catch {
    return last;
  }
}

/**
 * The file name of a recovered draft: whose it is, where that can be read.
 * @param {Form} form
 * @param {string} text
 */
export function nameOfAside(form, text) {
  try {
    return fileName(form, fromText(form, text), false);
  } catch {
    return `${form.template}-${form.version}-recovered.yaml`;
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

export const KEPT = "Draft stored in this browser.";
/** What a visitor is told whose browser keeps nothing. */
export const NO_STORAGE = "This browser cannot store a draft: download the unfinished draft before you leave this page.";
/** What one is told in whose other tab the draft was changed. */
export const ELSEWHERE = "Another tab has changed this draft, so this tab no longer stores it. Reload this page to continue with the other draft, or download this one.";
/** How a sentence begins that says why not. */
export const NOT_KEPT = "Draft not stored.";
const NO_ROOM = `${NOT_KEPT} Storage is full: download the recovered draft first.`;

/**
 * @param {Form} form
 * @param {Draft} draft
 * @param {boolean} [handed] whether it was saved as a finished sheet
 * @returns {string} what became of it
 */
export function keep(form, draft, handed = false) {
  try {
    const text = asText(form, draft);
    if (held.has(keyOf(form))) return NO_ROOM;
    if (isForeign(keyOf(form))) return ELSEWHERE;
    localStorage.setItem(keyOf(form), text);
    known.set(keyOf(form), text);
    if (handed) localStorage.setItem(keyOf(form) + HANDED, "");
    else localStorage.removeItem(keyOf(form) + HANDED);
    return KEPT;
  } catch (error) {
    return error instanceof SheetError ? `${NOT_KEPT} ${error.message}` : NO_STORAGE;
  }
}

/**
 * @param {Form} form
 * @returns {string} what became of the draft
 */
export function forget(form) {
  try {
    if (held.has(keyOf(form))) return NO_ROOM;
    if (isForeign(keyOf(form))) return ELSEWHERE;
    remove(keyOf(form));
  } catch {
    // Without storage there is nothing to delete.
  }
  return "Draft deleted.";
}

/**
 * @param {Form} form
 * @param {string} text what was set aside, and need not be any longer
 * @returns {boolean} whether it had kept drafts from being kept
 */
export function forgetAside(form, text) {
  const key = keyOf(form);
  const late = held.get(key) === text;
  if (late) held.delete(key);
  try {
    const others = listed(key).filter((one) => one !== text);
    if (others.length === 0) localStorage.removeItem(key + ASIDE);
    else localStorage.setItem(key + ASIDE, JSON.stringify(others));
    if (late && localStorage.getItem(key) === text) remove(key);
  } catch {
    // Without storage there is nothing to delete.
  }
  return late;
}

/** @param {string} key */
function remove(key) {
  localStorage.removeItem(key);
  localStorage.removeItem(key + HANDED);
  known.delete(key);
}

/**
 * Whether the draft that is kept is another tab's.
 * @param {string} key
 */
function isForeign(key) {
  const kept = localStorage.getItem(key);
  return kept !== null && kept !== known.get(key);
}
