// The verify page: what a visitor drops, pastes or names in the address goes to the engine, and the result is
// shown. Nothing is sent anywhere; on the site the log and the named receipt are fetched, and from a folder nothing is.

import { headline } from "./account.js";
import { sizeOf, verifiedBoard } from "./board-desk.js";
import { utf8 } from "./bytes.js";
import { check } from "./client.js";
import { button, element, quotation } from "./element.js";
import { part, showFrame } from "./frame.js";
import { recall, remember, useScheme } from "./memory.js";
import { isBoard, kindOf, kindsOf, MOST, MOST_BESIDE, readAddress, readFile, receiptId } from "./offered.js";
import { present } from "./present.js";
import { publishedPath } from "./receipt-id.js";
import { tampered } from "./sample.js";
import { verified } from "./words.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Report} Report */

/** @typedef {{name: string, bytes: Uint8Array, wanted?: string, change?: string}} Given a file, or text in its place;
 * `wanted` is the id asked for, `change` what this page changed in a sample */

/** Code units shown of a file's name. */
const IN_LIST = 80;
/** Documents and evidence beside a receipt. */
const MOST_DOCUMENTS = 40;

/**
 * @typedef {object} Desk what lies on the page
 * @property {Trust} trust
 * @property {string | null} base
 * @property {import("./client.js").Source} source
 * @property {Given | null} receipt
 * @property {Given | null} proof
 * @property {Given | null} key
 * @property {Given[]} documents methodologies and evidence; each counts under its own digest only
 * @property {boolean} isLacking whether the last check wanted a document that was not at hand
 * @property {number} round counts the checks, so that a late answer to an earlier one is dropped
 */

/**
 * The site's own part of this file; null where it is damaged, which is said.
 * @returns {Trust | null}
 */
function trustData() {
  try {
    return JSON.parse(part("trust", HTMLScriptElement).text);
  } catch {
    part("desk", HTMLElement).hidden = false;
    part("drop", HTMLElement).hidden = true;
    say("This copy of the page is damaged: the keys of its site cannot be read. Download a new copy.", true);
    return null;
  }
}

/**
 * Bring the page to life.
 * @param {string} engine the script that holds this function: the same text becomes the Worker
 */
export function start(engine) {
  // The page appears with its fonts, which it carries: text set in others first would move.
  void Promise.allSettled([...document.fonts].map((face) => face.load())).then(() => document.body.classList.add("ready"));
  wipe();
  const online = location.protocol !== "file:";
  if (online) useScheme();
  const trust = trustData();
  if (trust === null) return;
  /** @type {Desk} */
  const desk = {
    trust,
    base: online ? new URL("./", location.href).href : null,
    source: sources(engine),
    receipt: null, proof: null, key: null, documents: [], isLacking: false, round: 0,
  };
  showFrame(trust, online);
  listenToSamples(desk);
  part("desk", HTMLElement).hidden = false;
  part("knows", HTMLElement).replaceChildren(element("span", "", knowledge(desk.trust)));
  listenToFiles(desk);
  listenToText(desk);
  const address = new URLSearchParams(location.search);
  const [asked, board] = [address.get("id"), address.get("board")];
  if (board !== null || trust.board) return void showBoard(desk, { path: board, file: null, at: sizeOf(address.get("at")) });
  if (asked === null) return;
  // Room for the result, so that nothing on the screen moves when it comes.
  part("result", HTMLElement).classList.add("expected");
  void fromSite(desk, asked);
}

/**
 * The site's own sample, as it is and with one score changed here.
 * @param {Desk} desk
 */
function listenToSamples(desk) {
  const id = receiptId(desk.trust.sample ?? null);
  if (id === null || desk.base === null) return;
  part("samples", HTMLElement).hidden = false;
  part("valid", HTMLButtonElement).addEventListener("click", () => void fromSite(desk, id));
  part("tampered", HTMLButtonElement).addEventListener("click", () => void fromSite(desk, id, (bytes) => {
    const made = tampered(bytes);
    return made && { name: "tampered.json", ...made };
  }));
}

/**
 * The Workers' scripts: the engine, and for each track of another package the engine with the modules of that track.
 * @param {string} engine
 * @returns {import("./client.js").Source}
 */
function sources(engine) {
  /** @type {(...texts: string[]) => string} */
  const address = (...texts) => URL.createObjectURL(new Blob(texts, { type: "text/javascript" }));
  const plain = address(engine);
  /** @type {Map<string | null, string>} */
  const others = new Map();
  for (const { dataset, textContent } of document.querySelectorAll("script")) {
    if (dataset["track"] !== undefined) others.set(dataset["track"], address(engine, textContent ?? ""));
  }
  return (track) => others.get(track) ?? plain;
}

/** A browser's “complete” save keeps what was on the page: an old verdict must not be there before anything was given. */
function wipe() {
  for (const id of ["result", "given", "status"]) part(id, HTMLElement).replaceChildren();
  part("drop", HTMLElement).classList.remove("over");
  for (const id of ["pasted", "key"]) part(id, HTMLTextAreaElement).value = "";
}

/**
 * @param {Trust} trust
 */
function knowledge(trust) {
  if (trust.origin === null) return "No log: the site of this copy has none yet.";
  const size = /^(0|[1-9][0-9]{0,15})$/.exec(trust.checkpoint.split("\n")[1] ?? "")?.[0] ?? "0";
  const witnesses = trust.witnesses.length === 1 ? "1 witness" : `${trust.witnesses.length} witnesses`;
  return `This copy knows ${Number(size).toLocaleString("en")} entries of the log ${trust.origin}, and ${witnesses}.`;
}

/**
 * @param {string} words
 * @param {boolean} [wrong]
 */
function say(words, wrong = false) {
  const place = part("status", HTMLElement);
  place.classList.toggle("bad", wrong);
  if (wrong) part("result", HTMLElement).classList.remove("expected");
  place.classList.remove("sr");
  place.replaceChildren(element("span", "", words));
}

/** @param {Desk} desk */
function listenToFiles(desk) {
  const zone = part("drop", HTMLElement);
  const chooser = part("file", HTMLInputElement);
  part("choose", HTMLButtonElement).addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    const files = [...(chooser.files ?? [])];
    chooser.value = "";
    void takeFiles(desk, files);
  });
  // A file dropped beside the zone would otherwise replace the page.
  for (const kind of ["dragenter", "dragover"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    void takeTransfer(desk, event.dataTransfer);
  });
}

/** @param {Desk} desk */
function listenToText(desk) {
  document.addEventListener("paste", (event) => {
    if (event.target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    void takeTransfer(desk, event.clipboardData);
  });
  const pasted = part("pasted", HTMLTextAreaElement);
  // Inserting thousands of lines as an edit takes browsers half a minute; setting the value takes none.
  pasted.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.trim() === "" || pasted.value.trim() !== "") return;
    event.preventDefault();
    pasted.value = text;
    settle(desk, [{ name: "pasted text", bytes: utf8(text) }]);
  });
  pasted.addEventListener("input", () => {
    if (pasted.value.trim() !== "") return settle(desk, [{ name: "pasted text", bytes: utf8(pasted.value) }]);
    if (desk.receipt?.name !== "pasted text") return;
    desk.receipt = null;
    listGiven(desk);
    clear(desk);
  });
  const key = part("key", HTMLTextAreaElement);
  key.addEventListener("input", () => {
    const bytes = utf8(key.value.trim());
    if (kindOf(bytes) === "private key") {
      key.value = "";
      return say("That was a private key. It was not used. Never give it to any page.", true);
    }
    desk.key = bytes.length === 0 ? null : { name: "pasted key", bytes };
    listGiven(desk);
    if (desk.receipt) void run(desk);
  });
}

/**
 * @param {Desk} desk
 * @param {DataTransfer | null} transfer
 */
async function takeTransfer(desk, transfer) {
  if (transfer === null) return;
  const files = [...transfer.files];
  if (files.length > 0) return takeFiles(desk, files);
  const text = transfer.getData("text/plain");
  if (text.trim() !== "") settle(desk, [{ name: "pasted text", bytes: utf8(text) }]);
}

/**
 * @param {Desk} desk
 * @param {File[]} files
 */
async function takeFiles(desk, files) {
  if (files.length === 0) return;
  try {
    const isMore = desk.receipt !== null || files.length > 1;
    settle(desk, await Promise.all(files.map(async (file) => {
      const most = isMore || await isBoard(file) ? MOST_BESIDE : MOST;
      return { name: file.name, bytes: await readFile(file, most) };
    })));
  } catch {
    say("File not readable. Is it a folder?", true);
  }
}

/**
 * Put each thing where its content says it belongs, then check.
 * @param {Desk} desk
 * @param {Given[]} things
 */
function settle(desk, things) {
  const kinds = kindsOf(things.map(({ bytes }) => bytes), desk.receipt !== null && desk.isLacking);
  if (kinds.includes("private key")) return say("That is a private key. It was not used. Never give it to any page.", true);
  if (kinds.includes("certificate")) {
    return say("Not an Ed25519 public key in PEM: that is a certificate or a key of another kind.", true);
  }
  const board = things[kinds.indexOf("board")];
  if (board) return void showBoard(desk, { path: null, file: board.bytes, at: null });
  if (kinds.filter((kind) => kind === "receipt").length > 1) {
    return say("More than one receipt: verify one at a time, with its inclusion proof or public key.", true);
  }
  for (const [i, thing] of things.entries()) {
    const kind = kinds[i];
    if (kind === "document") desk.documents = [...desk.documents, thing].slice(-MOST_DOCUMENTS);
    // A proof speaks of one receipt only.
    if (kind === "receipt" && !kinds.includes("proof") && desk.receipt) desk.proof = null;
    if (kind === "receipt" || kind === "proof" || kind === "key") desk[kind] = thing;
  }
  listGiven(desk);
  if (desk.receipt) void run(desk);
  else say("Add the receipt: drop it, paste it or choose its file.");
}

/**
 * Verify a leaderboard in place of a receipt.
 * @param {Desk} desk
 * @param {Pick<import("./types.js").BoardRequest, "path" | "file" | "at">} asked
 */
async function showBoard(desk, asked) {
  Object.assign(desk, { receipt: null, proof: null, documents: [] });
  listGiven(desk);
  const round = (desk.round += 1);
  const title = document.querySelector("h1");
  if (title) title.textContent = "Verify a leaderboard";
  const shown = await verifiedBoard(desk, asked, (words) => round === desk.round && say(words));
  if (round !== desk.round) return;
  part("result", HTMLElement).replaceChildren(shown.place);
  say(verified(shown.word));
  part("status", HTMLElement).classList.add("sr");
  const heading = shown.place.querySelector(".verdict");
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
}

/** @param {Desk} desk */
function listGiven(desk) {
  const list = part("given", HTMLElement);
  /** @type {[("receipt" | "proof" | "key"), string][]} */
  const kinds = [["receipt", "Receipt"], ["proof", "Inclusion proof"], ["key", "Public key"]];
  list.replaceChildren();
  for (const [kind, words] of kinds) {
    const thing = desk[kind];
    if (thing === null) continue;
    list.append(listed(desk, words, thing, () => {
      desk[kind] = null;
      if (kind === "key") part("key", HTMLTextAreaElement).value = "";
      if (kind === "receipt") part("pasted", HTMLTextAreaElement).value = "";
    }));
  }
  for (const thing of desk.documents) {
    list.append(listed(desk, "Document", thing, () => {
      desk.documents = desk.documents.filter((one) => one !== thing);
    }));
  }
}

/**
 * @param {Desk} desk
 * @param {string} words
 * @param {Given} thing
 * @param {() => void} take takes it off the desk
 */
function listed(desk, words, { name, bytes, change }, take) {
  const remove = button("Remove", () => {
    take();
    listGiven(desk);
    part("choose", HTMLButtonElement).focus();
    if (desk.receipt) void run(desk);
    else clear(desk);
  });
  remove.setAttribute("aria-label", `Remove: ${words}`);
  const size = bytes.length.toLocaleString("en");
  const told = change === undefined ? "" : `; tampered copy, ${change}`;
  return element("li", "", element("span", "", `${words}: `, quotation(name, IN_LIST), `, ${size} bytes${told}`), remove);
}

/** @param {Desk} desk */
function clear(desk) {
  desk.round += 1;
  part("result", HTMLElement).replaceChildren();
  say("");
}

/** @param {Desk} desk */
async function run(desk) {
  const { receipt, proof, key, documents, trust, base } = desk;
  if (receipt === null) return;
  const round = (desk.round += 1);
  say("Verifying");
  const seen = recall(trust.origin);
  const report = await check({
    bytes: receipt.bytes, trust, base, seen, wanted: receipt.wanted ?? null, proof: proof?.bytes ?? null,
    key: key === null ? null : new TextDecoder().decode(key.bytes), given: documents.map(({ bytes }) => bytes),
  }, desk.source);
  if (round !== desk.round) return;
  desk.isLacking = report.rescoring?.rescore === "NOT RE-SCORABLE" || report.wanting.length > 0;
  const remembers = report.keep && report.head !== null ? remember(report.head, seen) : true;
  const shown = present(report, { fileName: receipt.name, seen, remembers, heading: "h2", saved: "", brought: documents.length });
  part("result", HTMLElement).replaceChildren(shown);
  say(verified(headline(report).word));
  // The result says it to the eye.
  part("status", HTMLElement).classList.add("sr");
  // A visitor who is still typing a key keeps the place.
  if (!(document.activeElement instanceof HTMLTextAreaElement)) {
    shown.querySelector(".verdict")?.scrollIntoView({ block: "nearest" });
    const heading = shown.querySelector(".verdict");
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
  }
}

/**
 * @param {Desk} desk
 * @param {string} asked
 * @param {(bytes: Uint8Array) => Given | null} [taken] what is verified in its place
 */
async function fromSite(desk, asked, taken) {
  const id = receiptId(asked);
  if (id === null) return say("No receipt id in the address: an id looks like 5f0d6c1e-9b1f-4a57-9d0e-2f1f7c0c9a41.", true);
  if (desk.base === null) return say(`Receipt ${id} not fetched: this page was opened from a folder. Drop the file here instead.`, true);
  const round = (desk.round += 1);
  say("Fetching the receipt");
  try {
    const bytes = await readAddress(new URL(publishedPath(id), desk.base));
    const given = taken === undefined ? { name: `${id}.json`, bytes, wanted: id } : taken(bytes);
    if (round !== desk.round) return;
    if (given === null) {
      desk.receipt = null;
      listGiven(desk);
      clear(desk);
      return say(`No tampered copy: receipt ${id} has no score that is a number.`, true);
    }
    settle(desk, [given]);
  } catch (error) {
    say(`Receipt ${id} not fetched: ${error instanceof Error ? error.message : "no reason given"}.`, true);
  }
}
