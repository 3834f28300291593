// Verifies a leaderboard from beginning to end, as a Worker runs it: replay the log up to the statement's size, verify and
// re-score every receipt of the leaderboard, recompute its ranks, and compare. Nothing here touches a page.
//
// A receipt entry of the log says neither track nor target: to show that none is missing, every receipt is read. One that
// cannot be had, or is another file than the log names, is said, and nothing is shown then.

import { base64, hex, utf8 } from "./bytes.js";
import { BoardLog, carriedSource, servedSource } from "./board-log.js";
import { ofTrust, readBoard, readStatement } from "./board-file.js";
import { Broken } from "./broken.js";
import { sha256, Unsupported } from "./digest.js";
import { discrepancies } from "./discrepancies.js";
import { decodeEntry } from "./entries.js";
import { examine } from "./examine.js";
import { Fault } from "./fault.js";
import { filled } from "./filled.js";
import { headerOf, reported } from "./header.js";
import { FACES, rulesOf } from "./leaderboard.js";
import { materials } from "./materials.js";
import { DETAILS } from "./sentences-board.js";
import { Served } from "./served.js";
import { isObject } from "./shape.js";
import { statement } from "./statement.js";
import { TRACKS } from "./tracks.js";
import { Inconsistent, Unavailable } from "./tiles.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").BoardRequest} BoardRequest */
/** @typedef {import("./types.js").BoardReport} BoardReport */
/** @typedef {import("./board-file.js").BoardFile} BoardFile */
/** @typedef {import("./board-file.js").Carried} Carried */
/** @typedef {import("./statement.js").Statement} Statement */
/** @typedef {import("./statement.js").Name} Name */
/** @typedef {import("./leaderboard.js").Rules} Rules */
/** @typedef {import("./types.js").Track} Track */
/** @typedef {import("./types.js").Document} Document */

const LARGEST = (8 << 20) + 1;
const AT_ONCE = 6;
const NAME = /^([a-z0-9][a-z0-9-]{0,79})\/([a-z0-9][a-z0-9-]{0,79})(?:\/([0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}))?\/?$/;

/** Why nothing could be shown. */
class Refused extends Error {}

/**
 * @param {BoardRequest} request
 * @param {(done: number, of: number) => void} [tell] told how many receipts were verified
 * @returns {Promise<BoardReport>}
 */
export async function runBoard(request, tell = () => {}) {
  /** @type {BoardReport} */
  const report = {
    state: "not checked", sentence: "", stated: false, statement: null, discrepancies: [], steps: [], receipts: 0, head: null,
    keep: false, evidence: null,
  };
  try {
    return await verified(request, report, tell);
  } catch (error) {
    if (error instanceof Broken) {
      report.steps.push(error.step);
      return { ...report, state: error.step.state === "fail" ? "broken" : "not checked", sentence: error.message, evidence: error.evidence };
    }
    if (error instanceof Inconsistent) return { ...report, state: "broken", sentence: error.message };
    if (!(error instanceof Refused || error instanceof Fault || error instanceof Unavailable || error instanceof Unsupported)) throw error;
    return { ...report, state: error instanceof Refused ? "broken" : "not checked", sentence: error.message };
  }
}

/**
 * @param {BoardRequest} request
 * @param {BoardReport} report filled as far as it gets
 * @param {(done: number, of: number) => void} tell
 * @returns {Promise<BoardReport>}
 */
async function verified(request, report, tell) {
  const { trust, base, seen, at = null } = request;
  if (trust.origin === null) throw new Fault("this copy of the page knows no log");
  const served = base === null ? null : new Served(base);
  const { file, name } = await given(request, served);
  const stated = file.statement;
  const source = file.carried ? await carriedSource(trust, file.carried) : await servedSource(trust, online(served), seen);
  Object.assign(report, { steps: source.steps, head: source.head, keep: source.keep });
  const isOther = stated === null || (at !== null && at !== stated["log"].size);
  const size = at ?? (stated === null ? source.head.size : stated["log"].size);
  if (size < 1 || size > source.head.size) {
    throw new Fault(filled(DETAILS["larger"], { stated: grouped(size), size: grouped(source.head.size) }));
  }
  if (!isOther && stated["log"].origin !== source.head.origin) throw new Refused(filled(DETAILS["other-log"], { origin: stated["log"].origin }));
  const log = await BoardLog.of(source, size, trust, cosignaturesAt(file.carried, served));
  if (!isOther && !(await log.hasRoot(stated["log"].root))) {
    const computed = base64(await log.root(size));
    throw new Refused(filled(DETAILS["other-root"], { stated: stated["log"].root, size: grouped(size), computed }));
  }
  /** @type {Set<string>} */
  const versions = new Set();
  report.statement = await recomputed(log, name, atHand(file.carried, served), readerOf(file.carried, served), versions, (done, of) => {
    report.receipts = done;
    tell(done, of);
  });
  // A version counts only if the log has it: what a receipt names is its signer's word.
  const newest = [...versions].filter((version) => log.methodologies.has(`${name.track} ${version}`)).sort(byVersion).at(-1);
  if (isNewestAsked(request) && newest !== undefined && byVersion(name.version, newest) < 0) {
    throw new Refused(`the statement served for ${request.path} is of methodology ${name.version}; the record has receipts under ${newest}`);
  }
  report.steps.push(...log.troubles);
  const last = grouped(size - 1);
  if (isOther) return { ...report, state: "recomputed", sentence: filled(DETAILS["recomputed"], { last }) };
  const found = discrepancies(stated, report.statement);
  const later = source.head.size - size;
  const whole = later > 0 ? filled(DETAILS["whole-until"], { last, later: grouped(later) }) : filled(DETAILS["whole"], { last });
  const sentence = found.length > 0 ? filled(DETAILS["different"], { count: found.length }) : whole;
  return { ...report, stated: true, state: found.length > 0 ? "different" : "whole", discrepancies: found, sentence };
}

/**
 * Whether a leaderboard was asked for by an address without a version, which is the newest one.
 * @param {BoardRequest} request
 */
function isNewestAsked({ path, file }) {
  return !file && path !== null && NAME.exec(path)?.[3] === undefined;
}

/**
 * @param {string} one MAJOR.MINOR.PATCH
 * @param {string} other
 */
function byVersion(one, other) {
  const [a, b] = [one.split(".").map(Number), other.split(".").map(Number)];
  return (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0) || (a[2] ?? 0) - (b[2] ?? 0);
}

/**
 * The statement to be verified, and whose leaderboard it is.
 * @param {BoardRequest} request
 * @param {Served | null} served
 * @returns {Promise<{file: {statement: any, carried: Carried | null}, name: Name}>}
 */
async function given({ trust, file, path }, served) {
  if (file) return named(await readBoard(file));
  if (path === null) return named(await ofTrust(trust));
  const found = NAME.exec(path);
  if (found === null) throw new Fault("no leaderboard in the address: one is named as retrieval/locomo-10-turn");
  const answer = await online(served).get(`api/v1/${path.replace(/\/$/, "")}/proof.json`, LARGEST);
  if (answer.state !== "found") throw new Fault(`the statement of leaderboard ${path} was not found`);
  const { file: read, name } = named({ statement: readStatement(answer.bytes), carried: null });
  if (name.track !== found[1] || name.target !== found[2] || (found[3] !== undefined && name.version !== found[3])) {
    throw new Refused(`the statement served for ${path} is of ${name.track}/${name.target}/${name.version}`);
  }
  return { file: read, name };
}

/** @param {BoardFile} file */
function named(file) {
  const { track, target, methodology: version } = file.statement;
  return { file, name: { track, target, version } };
}

/** @param {Served | null} served */
function online(served) {
  if (served === null) throw new Fault("this page was opened from a folder: drop the saved file of a leaderboard");
  return served;
}

/**
 * @param {Carried | null} carried
 * @param {Served | null} served
 */
function cosignaturesAt(carried, served) {
  if (carried === null) return served;
  return { get: async () => ({ state: /** @type {const} */ ("found"), bytes: utf8(carried.cosignatures) }) };
}

/**
 * Methodologies alone: evidence deepens a re-score and decides no rank.
 * @param {Carried | null} carried
 * @param {Served | null} served
 */
function atHand(carried, served) {
  const found = materials({ served: carried === null ? served : null, given: carried?.documents.map(utf8) ?? [] });
  return { ...found, evidence: async () => null };
}

/**
 * How the bytes of a receipt entry are had; null where they cannot be.
 * @param {Carried | null} carried
 * @param {Served | null} served
 * @returns {(entry: import("./entries.js").Entry) => Promise<Uint8Array | null>}
 */
function readerOf(carried, served) {
  if (carried === null) {
    return async ({ path }) => {
      const answer = await online(served).get(path, LARGEST);
      return answer.state === "found" ? answer.bytes : null;
    };
  }
  const bytes = carried.receipts.map(utf8);
  const byHash = Promise.all(bytes.map(async (one) => /** @type {const} */ ([hex(await sha256(one)), one]))).then((all) => new Map(all));
  return async ({ sha256: digest }) => (await byHash).get(digest) ?? null;
}

/**
 * The statement that follows from the log and its receipts.
 * @param {BoardLog} log
 * @param {Name} name
 * @param {import("./types.js").Materials} documents
 * @param {(entry: import("./entries.js").Entry) => Promise<Uint8Array | null>} read
 * @param {Set<string>} versions filled with the methodology versions of the receipts of this track and target
 * @param {(done: number, of: number) => void} tell
 */
async function recomputed(log, name, documents, read, versions, tell) {
  const { track, version } = name;
  const logged = log.methodologies.get(`${track} ${version}`);
  const methodology = logged ? await documents.methodology({ id: track, version, sha256: logged.sha256 }) : null;
  if (!FACES.has(track)) throw new Fault(`leaderboards of track '${track}' are not verified in a browser: run benchsite verify --board`);
  const rules = /** @type {Rules} */ (rulesOf(track, methodology));
  const around = { rules, methodology, intents: log.contents.intents, versions };
  const listed = [...log.contents.receipts.values()];
  const headers = [];
  for (let start = 0; start < listed.length; start += AT_ONCE) {
    const some = listed.slice(start, start + AT_ONCE);
    const files = await Promise.all(some.map((index) => fetched(log, index, read)));
    for (const [i, bytes] of files.entries()) {
      const header = await examined(log, /** @type {number} */ (some[i]), bytes, name, documents, around);
      if (header !== null) headers.push(header);
      tell(start + i + 1, listed.length);
    }
  }
  const { origin, size, contents } = log;
  return statement(name, rules, reported(headers), { origin, size, root: await log.root(size), contents });
}

/**
 * The bytes of a receipt, which are those that the log names.
 * @param {BoardLog} log
 * @param {number} index
 * @param {(entry: import("./entries.js").Entry) => Promise<Uint8Array | null>} read
 */
async function fetched(log, index, read) {
  const entry = decodeEntry(/** @type {Uint8Array} */ (log.entries[index]));
  const bytes = await read(entry);
  const id = entry.path.slice(-41, -5);
  if (bytes === null) throw new Refused(`entry ${grouped(index)}: receipt ${id} was not found, so what it says cannot be shown`);
  if (hex(await sha256(bytes)) !== entry.sha256) throw new Refused(`entry ${grouped(index)}: the file of receipt ${id} is not the one that the log names`);
  return bytes;
}

/**
 * What the leaderboard keeps of a receipt; null for one of another leaderboard, and for one that is not valid.
 * @param {BoardLog} log
 * @param {number} index
 * @param {Uint8Array} bytes
 * @param {Name} name
 * @param {import("./types.js").Materials} documents
 * @param {Parameters<typeof headerOf>[3] & {versions: Set<string>}} around
 */
async function examined(log, index, bytes, name, documents, around) {
  const stated = glance(bytes);
  if (stated === null || isElsewhere(stated, name)) return null;
  const under = stated["methodology"]?.version;
  if (under !== undefined) around.versions.add(String(under));
  if (under !== undefined && under !== name.version) return null;
  const id = log.contents.receipts.get(stated["receiptId"]) === index ? stated["receiptId"] : "";
  const found = await examine(bytes, async () => /** @type {any} */ (log), null, id, documents);
  if (["INVALID", "UNSUPPORTED", "UNKNOWN SIGNER"].includes(found.verdict) || !found.receipt?.isCanonical) return null;
  const { document, schema } = found.receipt;
  if (String(document["track"] ?? "retrieval") !== name.track || (document["methodology"]?.version ?? schema) !== name.version) return null;
  const target = /** @type {Track} */ (TRACKS.get(name.track)).target(document);
  return target.id === name.target ? headerOf(found, document, index, around, target) : null;
}

/**
 * What a file says, before anything of it is checked; null for none that could be a receipt. What strict JSON accepts is read the
 * same way here, so a receipt of this leaderboard is never taken for one of another.
 * @param {Uint8Array} bytes
 * @returns {Document | null}
 */
function glance(bytes) {
  try {
    const found = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}

/**
 * Whether a receipt is of another track or target, so that nothing else of it matters here.
 * @param {Document} document
 * @param {Name} name
 */
function isElsewhere(document, { track, target }) {
  if (String(document["track"] ?? "retrieval") !== track) return true;
  try {
    return /** @type {Track} */ (TRACKS.get(track)).target(document).id !== target;
  } catch {
    return false;
  }
}
