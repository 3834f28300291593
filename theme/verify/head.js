// The newest head of a site's log that can be vouched for: the one the trust data names, the one that is served now, and
// whether each continues what was known before. A smaller served log is "stale", never a fork, and is used only where it
// is shown to be the beginning of the one the trust data names; nothing remembered is moved backwards. Where the log is
// small enough every entry is read, and the trust data's list of events is no longer taken on the site's word.

import { fromBase64, fromUtf8, hex, utf8 } from "./bytes.js";
import { Broken } from "./broken.js";
import { Contents } from "./contents.js";
import { Fault } from "./fault.js";
import { replay } from "./keyring.js";
import { verifyConsistency } from "./merkle.js";
import { claim, isByAnyLogKey, opened } from "./signed-head.js";
import { fail, misfit, pass, unchecked, warning } from "./steps.js";
import { Inconsistent, Tree, Unavailable } from "./tiles.js";
import { grouped } from "./wording.js";

/** @typedef {import("./types.js").Trust} Trust */
/** @typedef {import("./types.js").Head} Head */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").Course} Course */
/** @typedef {import("./keyring.js").Keyring} Keyring */
/** @typedef {import("./served.js").Served} Served */

/** Entries that a page reads to catch up with the served log; an older page has to be fetched anew. */
const MOST_NEW = 4096;
/** The largest log of which a page reads every entry. */
const MOST_WHOLE = 1024;
const LARGEST_NOTE = 1 << 20;
const LARGEST_TILE = 256 * (2 + 65535);

/** A head and what reads its log; the tree is null where nothing could be fetched. @typedef {{head: Head, tree: Tree | null}} View */

/**
 * @typedef {object} Standpoint
 * @property {Head} head newest verified
 * @property {Head} pinned the one that the trust data names
 * @property {Head | null} older a served head that is smaller than `head`
 * @property {Tree | null} tree reads the log of `head`; null where it cannot be read
 * @property {Keyring} keyring
 * @property {Contents} contents
 * @property {boolean} whole whether `contents` holds every entry of `head`
 * @property {boolean} online whether the served checkpoint could be read
 * @property {{size: number, note: Uint8Array}[]} notes checkpoints with all their signature lines
 * @property {Step[]} steps
 * @property {Course} course
 * @property {boolean} keep whether `head` should be remembered
 */

/**
 * @param {Trust} trust of a site that has a log
 * @returns {Promise<Standpoint>} as the trust data alone has it
 * @throws {Broken}
 */
export async function pinned(trust) {
  const origin = trust.origin ?? "";
  const contents = listed(trust);
  const keyring = await keys(contents, origin, trust.roots);
  const head = await opened(trust.checkpoint, origin, keyring, "the checkpoint in this page's trust data");
  const signed = pass("checkpoint", `${grouped(head.size)} entries; signed by the log's key`, [["Checkpoint", head.note]]);
  return {
    head, pinned: head, older: null, tree: null, keyring, contents, whole: false, online: false,
    notes: [{ size: head.size, note: utf8(trust.checkpoint) }],
    steps: [signed], course: "unavailable", keep: false,
  };
}

/**
 * The same, held against the served log and against what this browser remembers.
 * @param {Trust} trust
 * @param {Served | null} served
 * @param {Head | null} seen
 * @returns {Promise<Standpoint>}
 * @throws {Broken}
 */
export async function standpoint(trust, served, seen) {
  const at = await pinned(trust);
  try {
    const views = served ? await advance(at, trust, served) : [];
    await compare(at, [{ head: at.head, tree: at.tree }, { head: at.pinned, tree: null }, ...views], await remembered(at, seen), served !== null);
  } catch (error) {
    if (error instanceof Inconsistent) throw new Broken(misfit(error.message));
    throw error;
  }
  return at;
}

/**
 * Take the served head, if there is one, with the entries that came since the trust data was written.
 * @param {Standpoint} at
 * @param {Trust} trust
 * @param {Served} served
 * @returns {Promise<View[]>} a smaller served log
 */
async function advance(at, trust, served) {
  const answer = await served.get("log/checkpoint", LARGEST_NOTE);
  if (answer.state !== "found") return [];
  const text = fromUtf8(answer.bytes) ?? "";
  const { origin, size } = at.head;
  const claimed = claim(text, origin);
  try {
    const isNewer = claimed.size > size;
    const live = isNewer
      ? await catchUp(at, trust, served, text, claimed)
      : await opened(text, origin, at.keyring, "the served checkpoint");
    at.online = true;
    at.notes.push({ size: live.size, note: answer.bytes });
    if (isNewer) return [];
    if (live.size === size && live.root !== at.head.root) throw fork(at.head, live);
    const tree = treeOf(at.head, served);
    if (live.size < size) {
      at.older = live;
      if ((await continues({ head: at.head, tree }, live)).held === false) throw fork(at.head, live);
    }
    at.tree = tree;
    await settle(at, trust);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    at.tree = null;
    at.steps.push(unchecked("consistency", `the served log could not be read: ${error.message}`));
  }
  return at.older ? [{ head: at.older, tree: treeOf(at.older, served) }] : [];
}

/**
 * Read the entries that the trust data does not know; their key events decide which key signs the served head.
 * @param {Standpoint} at
 * @param {Trust} trust
 * @param {Served} served
 * @param {string} text
 * @param {Head} claimed
 * @returns {Promise<Head>} the served head
 */
async function catchUp(at, trust, served, text, claimed) {
  const { head: known } = at;
  if (claimed.size - known.size > MOST_NEW) {
    throw new Unavailable(`it has ${grouped(claimed.size - known.size)} entries more than this page knows; reload the page`);
  }
  const tree = treeOf(claimed, served);
  const contents = await read(tree, listed(trust), known.size, claimed.size);
  const keyring = await keys(contents, known.origin, trust.roots);
  const live = await opened(text, known.origin, keyring, "the served checkpoint");
  if ((await continues({ head: live, tree }, known)).held === false) throw fork(known, live);
  Object.assign(at, { head: live, tree, contents, keyring });
  await settle(at, trust);
  return live;
}

/**
 * With a log that can be read: what key events say of its roots, and all its entries where they are few.
 * @param {Standpoint} at
 * @param {Trust} trust
 */
async function settle(at, trust) {
  const { head, tree } = at;
  if (tree === null) return;
  const whole = head.size <= MOST_WHOLE;
  const contents = whole ? await read(tree, new Contents(), 0, head.size) : at.contents;
  const keyring = await keys(contents, head.origin, trust.roots, (size) => tree.root(size));
  await opened(head.note, head.origin, keyring, "the checkpoint");
  Object.assign(at, { contents, keyring, whole });
}

/**
 * @param {Tree} tree
 * @param {Contents} contents
 * @param {number} first
 * @param {number} end
 */
async function read(tree, contents, first, end) {
  try {
    for (let index = first; index < end; index += 1) contents.apply(index, await tree.entry(index));
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `malformed entry in the served log: ${error.message}`));
    throw error;
  }
  return contents;
}

/**
 * The remembered head, if a log key really signed it: whatever shares this browser's storage can write there.
 * @param {Standpoint} at
 * @param {Head | null} seen
 */
async function remembered(at, seen) {
  if (seen === null || seen.origin !== at.head.origin) return null;
  let why = "is not signed by its key";
  try {
    const head = await opened(seen.note, seen.origin, at.keyring, "");
    if (head.size === seen.size && head.root === seen.root) return head;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    if (await isByAnyLogKey(at.keyring, seen)) why = "is signed by a key that was later revoked as compromised";
  }
  at.steps.push(warning("consistency", `the checkpoint stored in this browser ${why}: it was discarded`));
  return null;
}

/**
 * Compare the newest head, and a smaller served one, with the one this browser remembers.
 * @param {Standpoint} at
 * @param {View[]} views
 * @param {Head | null} seen
 * @param {boolean} asked whether the served log was asked for
 */
async function compare(at, views, seen, asked) {
  const { head } = at;
  const unread = asked && !at.online;
  if (unread && at.steps.every(({ name }) => name !== "consistency")) {
    at.steps.push(unchecked("consistency", "the served log could not be read"));
  }
  const held = seen === null ? null : await heldBy(views, seen);
  const smaller = at.older ?? (seen !== null && seen.size > head.size ? head : null);
  if (smaller !== null) {
    const known = seen !== null && seen.size > head.size ? "this browser has seen" : "this page knows";
    const most = Math.max(head.size, seen?.size ?? 0);
    at.steps.push(warning("consistency", `stale: the log has ${grouped(smaller.size)} entries here, and ${known} ${grouped(most)}`));
    at.course = "stale";
    return;
  }
  if (seen === null) {
    at.course = at.tree === null ? "unavailable" : "first";
    at.keep = true;
    at.steps.push(unchecked("consistency", "no earlier checkpoint in this browser to compare; this one will be stored"));
    return;
  }
  const before = `the ${grouped(seen.size)} entries that this browser has seen before`;
  if (held === null) {
    at.steps.push(unchecked("consistency", `not compared with ${before}: the log could not be read`));
    return;
  }
  at.keep = true;
  at.course = unread ? "unavailable" : seen.size === head.size ? "same" : "grown";
  const said = seen.size === head.size ? `the same log: ${before}` : `${grouped(head.size)} entries, consistent with ${before}`;
  const hashes = held.map(hex).join("\n");
  at.steps.push(pass("consistency", said, [
    ["Remembered root", seen.root], ["Root now", head.root],
    .../** @type {[string, string][]} */ (hashes ? [[`Consistency proof, ${held.length} hashes`, hashes]] : []),
  ]));
}

/**
 * The proof that a view continues an older head; null where none can be had.
 * @param {View[]} views
 * @param {Head} seen
 * @returns {Promise<Uint8Array[] | null>}
 * @throws {Broken} a fork
 */
async function heldBy(views, seen) {
  let found = null;
  for (const view of views.filter(({ head }) => head.size >= seen.size)) {
    try {
      const { held, proof } = await continues(view, seen);
      if (held === false) throw fork(seen, view.head);
      if (held) found ??= proof;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  }
  return found;
}

/**
 * Whether a log continues an older head (RFC 6962 section 2.1.2); `held` is null where the log cannot be read.
 * @param {View} view
 * @param {Head} older
 * @returns {Promise<{held: boolean | null, proof: Uint8Array[]}>}
 * @throws {Unavailable}
 */
async function continues({ head, tree }, older) {
  if (older.size === head.size) return { held: older.root === head.root, proof: [] };
  if (tree === null) return { held: null, proof: [] };
  if (older.size === 0) return { held: true, proof: [] };
  const [before, now] = [fromBase64(older.root), fromBase64(head.root)];
  if (before === null || now === null) return { held: false, proof: [] };
  const proof = await tree.consistencyProof(older.size);
  return { held: await verifyConsistency(older.size, head.size, proof, before, now), proof };
}

/**
 * @param {Head} head
 * @param {Served} served
 */
function treeOf(head, served) {
  const root = fromBase64(head.root) ?? new Uint8Array();
  return new Tree({ size: head.size, root }, async (path) => {
    const answer = await served.get(`log/${path}`, LARGEST_TILE);
    return answer.state === "found" ? answer.bytes : null;
  });
}

/** @param {Trust} trust */
function listed(trust) {
  try {
    return Contents.of(trust);
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `malformed trust data in this page: ${error.message}`));
    throw error;
  }
}

/**
 * @param {Contents} contents
 * @param {string} origin
 * @param {string[]} roots
 * @param {(size: number) => Promise<Uint8Array>} [rootAt] of the log itself, where it can be read
 */
async function keys(contents, origin, roots, rootAt) {
  try {
    return await replay(contents.keyEvents, { origin, roots, ...(rootAt ? { rootAt } : {}) });
  } catch (error) {
    if (error instanceof Fault) throw new Broken(fail("checkpoint", `the log's key events are not valid: ${error.message}`));
    throw error;
  }
}

/**
 * @param {Head} one
 * @param {Head} other
 */
function fork(one, other) {
  const said = `two inconsistent signed checkpoints: ${grouped(one.size)} entries with root ${one.root}, and ` +
    `${grouped(other.size)} with root ${other.root}`;
  return new Broken(fail("consistency", said), "fork", `${one.note}\n${other.note}`);
}
