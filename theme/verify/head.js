// The newest head of a site's log that can be vouched for: the one the trust data names, the one that is served now, and
// whether each contains what this browser saw before. A smaller served log is "stale", never a fork, and nothing
// remembered is moved backwards.

import { base64, equal, fromBase64, fromUtf8, utf8 } from "./bytes.js";
import { openCheckpoint, parseCheckpointText } from "./checkpoint.js";
import { Contents } from "./contents.js";
import { Fault } from "./fault.js";
import { logKeys, replay } from "./keyring.js";
import { NoteError, parseNote } from "./note.js";
import { Inconsistent, Tree, Unavailable } from "./tiles.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./keyring.js").Keyring} Keyring */
/** @typedef {import("./served.js").Served} Served */

/** Entries that a page reads to catch up with the served log; an older page has to be fetched anew. */
const MOST_NEW = 4096;
const LARGEST_NOTE = 1 << 20;
const LARGEST_TILE = 256 * (2 + 65535);

/**
 * How the served log relates to what was known of it before.
 * @typedef {"first" | "same" | "grown" | "stale" | "fork" | "unavailable" | "broken"} Course
 */

/**
 * @typedef {object} Standpoint
 * @property {Head} head newest verified
 * @property {Keyring} keyring
 * @property {Contents} contents
 * @property {Tree | null} tree reads the served log; null offline
 * @property {number} served size of the log that `tree` reads
 * @property {Step[]} steps
 * @property {Course} course
 * @property {boolean} keep whether `head` should be remembered
 * @property {string | null} evidence two signed heads that exclude each other
 */

/** Trust data or a served head that must not be built upon; `step` says why. */
export class Broken extends Error {
  /**
   * @param {Step} step
   * @param {Course} course
   * @param {string | null} evidence
   */
  constructor(step, course = "broken", evidence = null) {
    super(step.detail);
    this.step = step;
    this.course = course;
    this.evidence = evidence;
  }
}

/**
 * @param {Trust} trust of a site that has a log
 * @param {Served | null} served
 * @param {Head | null} seen
 * @returns {Promise<Standpoint>}
 * @throws {Broken}
 */
export async function standpoint(trust, served, seen) {
  const origin = trust.origin ?? "";
  const contents = listed(trust);
  const keyring = await keys(contents, origin, trust.roots);
  const pinned = await opened(trust.checkpoint, origin, keyring, "the checkpoint in this page's trust data");
  const signed = `${grouped(pinned.size)} entries, signed by the log's key`;
  /** @type {Standpoint} */
  const at = {
    head: pinned, keyring, contents, tree: null, served: 0, course: "unavailable", keep: false, evidence: null,
    steps: [pass("checkpoint", signed, [["Checkpoint", trust.checkpoint]])],
  };
  if (served) await advance(at, trust, served);
  await compare(at, seen !== null && seen.origin === origin ? seen : null);
  return at;
}

/**
 * Take the served head, if there is one, with the entries that came since the trust data was written.
 * @param {Standpoint} at
 * @param {Trust} trust
 * @param {Served} served
 */
async function advance(at, trust, served) {
  const answer = await served.get("log/checkpoint", LARGEST_NOTE);
  if (answer.state !== "found") {
    at.steps.push(note("consistency", "the served list could not be read: the one this page came with was used"));
    return;
  }
  const text = fromUtf8(answer.bytes) ?? "";
  const { head: pinned } = at;
  const claimed = claim(text, pinned.origin);
  const tree = new Tree({ size: claimed.size, root: fromBase64(claimed.root) ?? new Uint8Array() }, (path) => tile(served, path));
  try {
    if (claimed.size > pinned.size) await catchUp(at, trust, tree, claimed.size);
    const live = await opened(text, pinned.origin, at.keyring, "the served checkpoint");
    for (const { index, size, root } of at.keyring.frozen) {
      if (equal(await tree.root(size), root)) continue;
      throw new Broken(fail("checkpoint", `entry ${index} names a root that the first ${grouped(size)} entries never had`));
    }
    const forks = claimed.size >= pinned.size && !(await contains(tree, live, pinned));
    if (forks) throw fork(pinned, live);
    at.tree = tree;
    at.served = live.size;
    if (live.size >= pinned.size) at.head = live;
  } catch (error) {
    if (error instanceof Inconsistent) throw new Broken(misfit(error.message));
    if (!(error instanceof Unavailable)) throw error;
    at.steps.push(note("consistency", `the served list could not be read: ${error.message}`));
  }
}

/**
 * Read the entries that the trust data does not know; their key events decide which key signs the served head.
 * @param {Standpoint} at
 * @param {Trust} trust
 * @param {Tree} tree
 * @param {number} size
 */
async function catchUp(at, trust, tree, size) {
  const first = at.head.size;
  if (size - first > MOST_NEW) {
    throw new Unavailable(`it has ${grouped(size - first)} entries more than this page knows; fetch the page anew`);
  }
  const contents = listed(trust);
  try {
    for (let index = first; index < size; index += 1) contents.apply(index, await tree.entry(index));
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `a served entry is malformed: ${error.message}`));
    throw error;
  }
  at.keyring = await keys(contents, at.head.origin, trust.roots);
  at.contents = contents;
}

/**
 * Hold the newest head against the one this browser remembers.
 * @param {Standpoint} at
 * @param {Head | null} seen
 */
async function compare(at, seen) {
  const { head, tree } = at;
  if (tree !== null && at.served < head.size) {
    at.course = "stale";
    at.steps.push(note("consistency", `the served list has ${grouped(at.served)} entries, fewer than this page: it is stale`));
    return;
  }
  if (seen === null) {
    at.course = tree === null ? "unavailable" : "first";
    at.keep = true;
    at.steps.push(note("consistency", "this browser has not seen this list before; it will remember it"));
    return;
  }
  if (seen.size > head.size) {
    at.course = "stale";
    const said = `this browser has seen ${grouped(seen.size)} entries, and here are ${grouped(head.size)}: this copy is stale`;
    at.steps.push(note("consistency", said));
    return;
  }
  const held = await tryContains(tree, head, seen);
  if (held === false) throw fork(seen, head);
  if (held === null) {
    at.steps.push(note("consistency", `not compared with the ${grouped(seen.size)} entries this browser has seen: offline`));
    return;
  }
  at.keep = true;
  at.course = seen.size === head.size ? "same" : "grown";
  const before = `the ${grouped(seen.size)} entries this browser has seen before`;
  const said = seen.size === head.size ? `exactly ${before}` : `${grouped(head.size)} entries, and they begin with ${before}`;
  at.steps.push(pass("consistency", said, [["Remembered root", seen.root], ["Root now", head.root]]));
}

/**
 * @param {Tree | null} tree
 * @param {Head} head
 * @param {Head} older
 * @returns {Promise<boolean | null>} null where it cannot be told
 */
async function tryContains(tree, head, older) {
  if (older.size === head.size) return older.root === head.root;
  if (tree === null) return null;
  try {
    return await contains(tree, head, older);
  } catch (error) {
    if (error instanceof Unavailable) return null;
    if (error instanceof Inconsistent) throw new Broken(misfit(error.message));
    throw error;
  }
}

/**
 * @param {Tree} tree of `head`
 * @param {Head} head
 * @param {Head} older
 */
async function contains(tree, head, older) {
  if (older.size === head.size) return older.root === head.root;
  const root = fromBase64(older.root);
  return root !== null && equal(await tree.root(older.size), root);
}

/** @param {Trust} trust */
function listed(trust) {
  try {
    return Contents.of(trust);
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `the page's trust data is malformed: ${error.message}`));
    throw error;
  }
}

/**
 * @param {Contents} contents
 * @param {string} origin
 * @param {string[]} roots
 */
async function keys(contents, origin, roots) {
  try {
    return await replay(contents.keyEvents, { origin, roots });
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `the log's key events do not hold: ${error.message}`));
    throw error;
  }
}

/**
 * @param {string} text
 * @param {string} origin
 * @returns {Head} as the note claims it, no signature checked
 */
function claim(text, origin) {
  try {
    const { size, root } = parseCheckpointText(parseNote(utf8(text)).text);
    return { origin, size, root: base64(root), note: text };
  } catch (error) {
    if (error instanceof NoteError) throw new Broken(fail("checkpoint", `the served checkpoint: ${error.message}`));
    throw error;
  }
}

/**
 * @param {string} text
 * @param {string} origin
 * @param {Keyring} keyring
 * @param {string} what
 * @returns {Promise<Head>}
 */
async function opened(text, origin, keyring, what) {
  try {
    const size = claim(text, origin).size;
    const { root } = await openCheckpoint(utf8(text), { origin, keys: logKeys(keyring, size) });
    return { origin, size, root: base64(root), note: text };
  } catch (error) {
    if (error instanceof NoteError) throw new Broken(fail("checkpoint", `${what}: ${error.message}`));
    throw error;
  }
}

/**
 * @param {Served} served
 * @param {string} path
 */
async function tile(served, path) {
  const answer = await served.get(`log/${path}`, LARGEST_TILE);
  return answer.state === "found" ? answer.bytes : null;
}

/**
 * @param {Head} one
 * @param {Head} other
 */
function fork(one, other) {
  const said = `two signed lists that exclude each other: ${grouped(one.size)} entries with root ${one.root}, and ` +
    `${grouped(other.size)} with root ${other.root}`;
  return new Broken(fail("consistency", said), "fork", `${one.note}\n${other.note}`);
}

/**
 * The step of a served log whose hashes are not those under its signed root.
 * @param {string} why
 */
export function misfit(why) {
  return fail("consistency", `the served list does not fit its own head: ${why}`);
}

/**
 * @param {string} name
 * @param {string} detail
 * @param {[string, string][]} shown
 * @returns {Step}
 */
function pass(name, detail, shown) {
  return { name, state: "pass", detail, field: "", shown };
}

/**
 * @param {string} name
 * @param {string} detail
 * @returns {Step}
 */
function note(name, detail) {
  return { name, state: "note", detail, field: "" };
}

/**
 * @param {string} name
 * @param {string} detail
 * @returns {Step}
 */
function fail(name, detail) {
  return { name, state: "fail", detail, field: "" };
}
