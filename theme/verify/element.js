// Building a page out of text: the only door through which a report reaches the document. No markup is ever parsed.

import { visible } from "./unseen.js";

/** No single text on a page is longer, whatever it came from: browsers take seconds to lay out megabytes. */
const LONGEST = 5000;

/**
 * The beginning of a long text; a character is never halved.
 * @param {string} text
 * @param {number} most code units
 */
export function cut(text, most) {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} className empty for none
 * @param {...(Node | string)} children strings are foreign until shown otherwise: invisible characters are written out
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.append(...children.map((child) => (typeof child === "string" ? visible(cut(child, LONGEST)) : child)));
  return made;
}

/**
 * Foreign words in their own box: whatever they say, it is not the page that says it.
 * @param {string} text
 * @param {number} most code units
 */
export function quotation(text, most) {
  return element("q", "told", cut(text, most));
}

/**
 * A glyph that is not read aloud, a space, a word.
 * @param {{glyph: string, word: string, tone: string}} mark
 */
export function markOf({ glyph, word, tone }) {
  const sign = element("span", "", glyph);
  sign.setAttribute("aria-hidden", "true");
  return element("span", `state ${tone}`, sign, ` ${word}`);
}

/**
 * @param {string} words
 * @param {(button: HTMLButtonElement) => void} act
 */
export function button(words, act) {
  const made = element("button", "plain", words);
  made.type = "button";
  made.addEventListener("click", () => act(made));
  return made;
}

/**
 * A button that puts text on the clipboard and says whether it did.
 * @param {string} words
 * @param {() => string} text
 */
export function copyButton(words, text) {
  return button(words, (made) => {
    const say = (/** @type {string} */ said) => {
      made.textContent = said;
      setTimeout(() => { made.textContent = words; }, 2500);
    };
    // Outside a secure context there is no clipboard object at all, whatever its type says.
    const board = /** @type {Clipboard | undefined} */ (navigator.clipboard);
    if (!board) return say("Copying not available: select the text");
    board.writeText(text()).then(() => say("Copied"), () => say("Copying not allowed: select the text"));
  });
}

/**
 * A button with which the visitor chooses a file.
 * @param {string} words
 * @param {(file: File) => void} take
 */
export function fileButton(words, take) {
  const chooser = element("input", "");
  chooser.type = "file";
  chooser.addEventListener("change", () => {
    const [file] = chooser.files ?? [];
    if (file) take(file);
  });
  return button(words, () => chooser.click());
}

/**
 * A button that hands the visitor a file made here.
 * @param {string} words
 * @param {string} name
 * @param {() => Uint8Array | string} content
 */
export function saveButton(words, name, content) {
  return button(words, () => handOver(name, content()));
}

/**
 * Hand the visitor a file made here.
 * @param {string} name
 * @param {Uint8Array | string} content
 * @param {string} [type]
 */
export function handOver(name, content, type = "application/octet-stream") {
  const address = URL.createObjectURL(new Blob([/** @type {BlobPart} */ (content)], { type }));
  const link = element("a", "");
  link.href = address;
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
