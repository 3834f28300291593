// The transcripts of a session, chosen once for all quotes of a sheet: which file holds a quote, and which quotes are not in
// the file they name. Files stay in this page's memory; nothing is kept or sent. A quote is looked for as `benchsite run
// rubric` does it (benchsite/tracks/rubric/source.py): letter by letter, whatever the line endings.

import { visible } from "../../verify/unseen.js";
import { DIMENSIONS, SCENARIOS } from "./sheet-draft.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Evidence} Evidence */
/** @typedef {import("./sheet-faults.js").Fault} Fault */

/** Bytes that `benchsite run rubric` takes of an evidence file. */
const LARGEST = 5_000_000;
const EXCERPT = /\.evidence\.[0-9]+\.excerpt$/;

/** @typedef {Map<string, string>} Transcripts text by file name */

/**
 * Reads files into the transcripts; a file of a known name replaces the earlier one.
 * @param {Transcripts} texts
 * @param {Iterable<File>} files
 * @returns {Promise<string>} what became of them, in a sentence
 */
export async function loadTranscripts(texts, files) {
  const refused = [];
  for (const file of files) {
    try {
      if (file.size > LARGEST) throw new RangeError();
      texts.set(file.name, plain(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())));
    } catch {
      refused.push(file.name);
    }
  }
  const wrong = refused.length > 0 ? ` Not loaded (not UTF-8 text, or larger than ${LARGEST.toLocaleString("en")} bytes): ${refused.map(shown).join(", ")}.` : "";
  return `${texts.size} transcript ${texts.size === 1 ? "file" : "files"} loaded.${wrong}`;
}

/**
 * Fills in the evidence file of each quote that a transcript holds and that names no file yet.
 * @param {Transcripts} texts
 * @param {HTMLFormElement} page
 * @returns {boolean} whether any was filled in
 */
export function citeFiles(texts, page) {
  let filled = false;
  const controls = new Map([...page.elements].map((one) => [one.getAttribute("name"), one]));
  for (const [name, quote] of controls) {
    if (name === null || !EXCERPT.test(name) || !(quote instanceof HTMLTextAreaElement) || quote.value.trim() === "") continue;
    const file = controls.get(name.replace(/excerpt$/, "file"));
    const holder = holderOf(texts, quote.value);
    if (!(file instanceof HTMLInputElement) || file.value.trim() !== "" || holder === null) continue;
    file.value = holder;
    filled = true;
  }
  return filled;
}

/**
 * Quotes that are not in the transcript that they name.
 * @param {Transcripts} texts
 * @param {Draft} draft
 * @returns {Generator<Fault>}
 */
export function* misquoted(texts, { tests, universal, domain }) {
  for (const id of Object.keys(tests)) yield* misquotedIn(texts, `tests.${id}`, id, tests[id]?.evidence);
  for (const id of DIMENSIONS) yield* misquotedIn(texts, `universal.${id}`, id, universal[id]?.evidence);
  for (const id of SCENARIOS) yield* misquotedIn(texts, `domain.${id}`, id, domain[id]?.evidence);
}

/**
 * @param {Transcripts} texts
 * @param {string} name
 * @param {string} what
 * @param {readonly Evidence[]} [evidence]
 * @returns {Generator<Fault>}
 */
function* misquotedIn(texts, name, what, evidence = []) {
  for (const [place, { file, excerpt }] of evidence.entries()) {
    const text = texts.get(file?.split("/").at(-1) ?? "");
    if (text === undefined || excerpt === undefined || text.includes(plain(excerpt))) continue;
    yield { name: `${name}.evidence.${place}.excerpt`, said: `${what}: quote ${place + 1} is not in ${shown(file ?? "")}` };
  }
}

/**
 * @param {Transcripts} texts
 * @param {string} quote
 */
function holderOf(texts, quote) {
  return [...texts].find(([, text]) => text.includes(plain(quote)))?.[0] ?? null;
}

/** @param {string} text */
function plain(text) {
  return text.replace(/\r\n?/g, "\n").replace(/^\n+|\n+$/g, "");
}

/**
 * A file's name in a sentence: cut, and without characters that are invisible or reorder their neighbors.
 * @param {string} name
 */
function shown(name) {
  return visible(name.slice(0, 200));
}
