// The evaluation form (specs/rubric.md, "The sheet"): scores computed while it is filled in, a draft kept in the browser,
// sheets imported and downloaded. Nothing is sent anywhere.

import { handOver } from "../../verify/element.js";
import { blank, fileName, following } from "./sheet-draft.js";
import { faults, progress } from "./sheet-faults.js";
import { addRow, fillFields, nameOf, readFields, removeRow } from "./sheet-fields.js";
import { ELSEWHERE, KEPT, NOT_KEPT, NO_STORAGE, asText, asideOf, forget, forgetAside, fromText, keep, keyOf, nameOfAside, recall, setAside, wasHanded } from "./sheet-kept.js";
import { figures, go, listFaults, markFaults, rest, showProgress, summary } from "./sheet-shown.js";
import { citeFiles, loadTranscripts, misquoted } from "./sheet-transcripts.js";
import { LONGEST, SheetError } from "./sheet-yaml.js";

/** @typedef {import("./sheet-draft.js").Draft} Draft */
/** @typedef {import("./sheet-draft.js").Form} Form */
/** @typedef {{back: string, forth: string}} Words what the button says that brings a draft back, and then the other */

const SAVED_AFTER = 400;
const SAID_AFTER = 1000;
/** Longer than a click takes: what moves the page must not move it under the pointer. */
const MARKED_AFTER = 200;
const DELETED = "Another tab has deleted this draft. Your next change stores it.";
const CHANGED = "Changed since the download: re-download it before you submit it.";
const SAVED = "Open downloaded sheet";
const CORRECTED = "Open corrected sheet";
const ONWARD = "Back to next sheet";
const STUCK = "Not opened. This browser has no room for a copy of your draft: download it first.";
const NEXT = "Next sheet of the same session: evaluator, scores, notes and evidence are empty.";

/** @param {HTMLElement} place holds the form */
export function start(place) {
  const page = place.querySelector("form");
  if (!page) return;
  for (const one of place.querySelectorAll("[data-without]")) one.remove();
  for (const one of place.querySelectorAll("[data-with]")) if (one instanceof HTMLElement) one.hidden = false;
  for (const one of page.querySelectorAll("fieldset:disabled")) if (one instanceof HTMLFieldSetElement) one.disabled = false;
  new Desk(page, JSON.parse(place.dataset["form"] ?? "{}")).open();
}

/** The form on the page, with its timers and state. */
class Desk {
  /**
   * @param {HTMLFormElement} page
   * @param {Form} form
   */
  constructor(page, form) {
    this.page = page;
    this.form = form;
    /** Whether a download was refused: then every fault is shown; before, only those of fields that were left. */
    this.refused = false;
    /**
     * Names of the fields that were left.
     * @type {Set<string>}
     */
    this.left = new Set();
    /** @type {import("./sheet-transcripts.js").Transcripts} */
    this.transcripts = new Map();
    /** Whether the fields hold what a file holds, and nothing else. */
    this.saved = false;
    /** Whether that is a finished sheet. */
    this.handed = false;
    /** Whether something was entered in them that neither a file holds nor what was set aside. */
    this.edited = false;
    /**
     * What stood in the fields before.
     * @type {{draft: Draft, handed: boolean, edited: boolean, words: Words} | null}
     */
    this.before = null;
    /**
     * Drafts that were set aside and handed over by now; the first has waited longest to be had again.
     * @type {string[]}
     */
    this.given = [];
    this.saving = 0;
    this.saying = 0;
  }

  open() {
    const kept = recall(this.form);
    const found = kept !== null && typeof kept === "object";
    fillFields(this.page, this.form, found ? kept : blank(this.form));
    this.say("kept", typeof kept === "string" ? kept : kept === null ? "" : "Draft restored.");
    this.handed = this.saved = wasHanded(this.form);
    this.edited = found && !this.handed;
    if (this.handed) this.next({ back: SAVED, forth: ONWARD });
    this.offerActs();
    this.show();
    this.page.addEventListener("input", (event) => {
      // Choosing a file to import changes nothing yet, and what is said of it must stand.
      if (!(event.target instanceof HTMLInputElement && event.target.type === "file")) this.changed();
    });
    this.page.addEventListener("submit", (event) => event.preventDefault());
    this.page.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button) this.press(button);
    });
    this.page.addEventListener("change", ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== "file") return;
      void (target.dataset["transcripts"] === undefined ? this.take(target) : this.load(target));
    });
    this.page.addEventListener("focusout", ({ target, relatedTarget }) => this.leave(nameOf(target), nameOf(relatedTarget)));
    // Leaving the page must lose nothing, not even the last half second.
    addEventListener("pagehide", () => this.save());
    addEventListener("storage", (event) => {
      this.offerActs();
      if (event.key === keyOf(this.form)) this.say("kept", event.newValue === null ? DELETED : ELSEWHERE);
    });
  }

  /**
   * Shows the fault of a field once it was left; radio buttons of one name are one field.
   * @param {string} name
   * @param {string} next
   */
  leave(name, next) {
    if (name === "" || name === next) return;
    this.left.add(name);
    if (citeFiles(this.transcripts, this.page)) this.changed();
    setTimeout(() => this.show(), MARKED_AFTER);
  }

  /**
   * Transcripts, chosen once for all quotes.
   * @param {HTMLInputElement} input
   */
  async load(input) {
    this.say("transcripts", await loadTranscripts(this.transcripts, input.files ?? []));
    const names = [...this.transcripts.keys()].map((name) => Object.assign(document.createElement("option"), { value: name }));
    this.page.querySelector("datalist")?.replaceChildren(...names);
    if (citeFiles(this.transcripts, this.page)) this.changed();
    else this.show();
  }

  changed() {
    this.show();
    if (this.saved) this.say("handed", CHANGED);
    this.saved = this.handed = false;
    this.edited = true;
    // A sheet that a file holds is not offered any longer: opening it would replace what is now entered.
    if (this.before?.handed) this.before = null;
    this.offerActs();
    this.later();
  }

  later() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), SAVED_AFTER);
  }

  save() {
    if (this.saving === 0) return;
    clearTimeout(this.saving);
    this.saving = 0;
    this.say("kept", this.keep(readFields(this.page, this.form), this.handed));
  }

  /**
   * Keeps a draft. While one is entered that neither this browser nor a file holds, the browser asks before it leaves.
   * @param {Draft} draft
   * @param {boolean} handed
   * @returns {string} what became of it
   */
  keep(draft, handed) {
    const told = keep(this.form, draft, handed);
    if (told === KEPT || handed) removeEventListener("beforeunload", ask);
    else addEventListener("beforeunload", ask);
    return told;
  }

  /** Scores, what is missing, and after a while a sentence for those who listen. */
  show() {
    const draft = readFields(this.page, this.form);
    const found = [...faults(this.form, draft), ...misquoted(this.transcripts, draft)];
    const done = progress(this.form, draft, found);
    const shown = figures(this.form, draft);
    for (const one of this.page.querySelectorAll("[data-figure]")) {
      if (one instanceof HTMLElement) one.textContent = shown.get(one.dataset["figure"] ?? "") ?? "–";
    }
    for (const one of this.page.querySelectorAll("[data-kind]")) {
      if (one instanceof HTMLElement) one.hidden = one.dataset["kind"] !== draft.evaluator.kind;
    }
    this.say("rest", rest(done));
    showProgress(this.page, done);
    const list = this.page.querySelector("[data-faults]");
    if (list instanceof HTMLElement) {
      list.hidden = !this.refused;
      if (this.refused) listFaults(list, this.page, found);
    }
    markFaults(this.page, this.refused ? found : found.filter(({ name }) => this.left.has(name)));
    if (this.refused && found.length === 0) this.say("handed", "");
    clearTimeout(this.saying);
    this.saying = setTimeout(() => this.say("live", summary(shown, done)), SAID_AFTER);
    return { draft, found, done };
  }

  /** @param {HTMLButtonElement} button */
  press(button) {
    const { add, remove, act } = button.dataset;
    if (add !== undefined) {
      addRow(this.page, add)?.focus();
      this.changed();
    } else if (remove !== undefined) {
      const row = button.closest("[data-row]");
      const list = row?.parentElement;
      if (row instanceof HTMLElement && list) {
        removeRow(this.page, list.dataset["rows"] ?? "", row);
        list.querySelector("textarea")?.focus();
      }
      this.changed();
    } else if (act === "sheet") this.hand(true);
    else if (act === "draft") this.hand(false);
    else if (act === "delete") this.empty();
    else if (act === "undo") this.undo();
    else if (act === "next") {
      this.next();
      // To the words that say what happened, for the keyboard too.
      const told = this.page.querySelector(".draft-bar");
      if (told instanceof HTMLElement) {
        told.tabIndex = -1;
        told.scrollIntoView();
        told.focus({ preventScroll: true });
      }
    } else if (act === "aside") this.handAside();
  }

  /** One draft that was set aside, each time another; it can be had again for as long as this page is open. */
  handAside() {
    const waiting = asideOf(this.form);
    const text = waiting[0] ?? this.given.shift();
    if (text === undefined) return;
    handOver(nameOfAside(this.form, text), text, "application/yaml");
    this.given.push(text);
    if (forgetAside(this.form, text)) this.later();
    const left = waiting.length - 1;
    if (left > 0) this.say("kept", `${left} more recovered ${left > 1 ? "drafts" : "draft"}.`);
    else this.say("kept", "No more recovered drafts.");
  }

  /**
   * The sheet as a file; one that is not finished only where that is what was asked for.
   * @param {boolean} finished
   */
  hand(finished) {
    const { draft, found, done } = this.show();
    const first = found[0];
    if (finished && first) {
      this.refused = true;
      this.show();
      this.say("handed", `Not downloaded: the sheet is not finished. ${rest(done)}; first: ${first.said}.`);
      go(this.page, first.name);
      return;
    }
    try {
      const name = fileName(this.form, draft, finished);
      handOver(name, asText(this.form, draft), "application/yaml");
      this.say("handed", `Downloaded as ${name}.`);
      this.saved = true;
      this.edited = false;
      removeEventListener("beforeunload", ask);
      if (!finished) return;
      this.handed = true;
      this.refused = false;
      this.say("kept", this.keep(draft, true));
      this.offerActs();
    } catch (error) {
      this.say("handed", said(error));
    }
  }

  empty() {
    this.replace(blank(this.form), forget(this.form));
    removeEventListener("beforeunload", ask);
  }

  /**
   * A sheet of the same session in place of the one that was saved; that one is kept until something is entered.
   * @param {Words} [words]
   */
  next(words) {
    this.save();
    this.replace(following(this.form, readFields(this.page, this.form)), NEXT, false, words);
  }

  /**
   * What stood here before and what stands here now change places. Since only one of them is kept, the other is set
   * aside, unless a file holds it: neither is lost, even if the page is left now.
   */
  undo() {
    if (!this.before) return;
    const { draft, handed, edited, words } = this.before;
    this.save(); // so that nothing is said later in the place of what is said here
    const told = this.makeRoom();
    if (told === null) return;
    const back = words.back !== ONWARD ? words.forth : this.handed ? SAVED : CORRECTED;
    this.replace(draft, told + this.keep(draft, handed), handed, { back, forth: words.back });
    this.edited = edited;
    if (words.back === CORRECTED) this.say("handed", CHANGED);
  }

  /**
   * Sets aside what was entered, unless a file holds it, before another draft takes its place.
   * @returns {string | null} what became of it; null where this browser cannot, and what was entered must stay
   */
  makeRoom() {
    if (!this.edited) return "";
    if (!setAside(this.form, readFields(this.page, this.form))) {
      this.say("kept", STUCK);
      return null;
    }
    this.edited = false;
    return "Your draft is also stored as a recovered draft. ";
  }

  /**
   * Another draft in place of the present one, which can be brought back.
   * @param {Draft} draft
   * @param {string} told
   * @param {boolean} [handed] whether it was saved as a finished sheet
   * @param {Words} [words]
   */
  replace(draft, told, handed = false, words = { back: "Undo", forth: "Redo" }) {
    this.before = { draft: readFields(this.page, this.form), handed: this.handed, edited: this.edited, words };
    clearTimeout(this.saving);
    this.saving = 0;
    this.refused = false;
    this.left.clear();
    this.handed = this.saved = handed;
    this.edited = false;
    markFaults(this.page, []);
    fillFields(this.page, this.form, draft);
    this.say("kept", told);
    this.say("handed", "");
    this.offerActs();
    this.show();
  }

  /** The buttons that make sense by now, and no others. */
  offerActs() {
    const offered = new Map([["undo", this.before !== null], ["next", this.handed], ["aside", this.given.length + asideOf(this.form).length > 0]]);
    for (const [act, shown] of offered) {
      const button = this.page.querySelector(`[data-act=${act}]`);
      if (!(button instanceof HTMLElement)) continue;
      button.hidden = !shown;
      if (act === "undo" && this.before) button.textContent = this.before.words.back;
    }
  }

  /**
   * A saved sheet in place of the present draft.
   * @param {HTMLInputElement} input
   */
  async take(input) {
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    this.save(); // so that nothing is said later in the place of what is said of the file
    try {
      if (file.size > LONGEST) throw new SheetError(`The file is larger than ${LONGEST.toLocaleString("en")} bytes.`);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      const draft = fromText(this.form, text);
      const finished = faults(this.form, draft).length === 0;
      const told = this.makeRoom();
      if (told !== null) this.replace(draft, `Imported. ${told}${this.keep(draft, finished)}`, finished);
    } catch (error) {
      this.say("kept", `Not imported. ${said(error)}`);
    }
  }

  /**
   * @param {string} where
   * @param {string} words
   */
  say(where, words) {
    const caution = words.startsWith("Not ") || words.includes(NOT_KEPT) || [NO_STORAGE, ELSEWHERE].some((one) => words.endsWith(one));
    for (const place of this.page.querySelectorAll(`[data-say=${where}]`)) {
      if (place.textContent !== words) place.textContent = words;
      place.classList.toggle("caution", caution);
    }
  }
}

/**
 * Has the browser ask whether to leave.
 * @param {Event} event
 */
function ask(event) {
  event.preventDefault();
}

/** @param {unknown} error */
function said(error) {
  if (error instanceof SheetError) return error.message;
  return error instanceof TypeError ? "The file is not UTF-8 text." : "The file could not be read.";
}
