// A log made by hand, in memory, for tests of the engine: keys, entries, tiles, checkpoints, witnesses, trust data and a
// host that serves it all. Written from specs/log.md, RFC 6962 and C2SP's texts with node:crypto alone; nothing here
// comes from theme/verify, which is what the tests judge.

import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";

export const ORIGIN = "lab.example/log";
export const BASE = "https://lab.example/";
/** Entries of `SmallLog.founded()`: three keys, the rules, the data. */
export const FOUNDED = 5;

const WORKED = JSON.parse(readFileSync(new URL("../vectors/retrieval/worked.json", import.meta.url), "utf8")).document;
const sha256Hex = (data) => createHash("sha256").update(data).digest("hex");
const NAMES = ["methodology.yaml", "parameters.json", "text.md"];
const DIGESTS = NAMES.map((name) =>
  `"${name}":"${sha256Hex(readFileSync(new URL(`../../methodology/retrieval/1.0.0/${name}`, import.meta.url)))}"`);
/** The packaged methodology, by SHA-256(JCS) of its files' digests. */
export const RULES = {
  id: "retrieval", version: "1.0.0", sha256: sha256Hex(`{${DIGESTS.join(",")}}`),
};
// PrivateKeyInfo of RFC 8410 up to the 32 bytes of the seed.
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const WIDTH = 256;

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
/** RFC 6962 section 2.1. */
export const leafOf = (entry) => sha256([0], entry);
const nodeOf = (left, right) => sha256([1], left, right);
const exactly = (data) => Uint8Array.from(data);

/** RFC 8785 for what stands in these tests. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(",")}}`;
}

/** @param {string | object} value */
export const bytesOf = (value) => exactly(Buffer.from(typeof value === "string" ? value : canonical(value)));

/** MTH of RFC 6962 section 2.1 over leaf hashes. */
export function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return leaves[0];
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** PATH of RFC 6962 section 2.1.1. */
function pathOf(index, leaves) {
  if (leaves.length === 1) return [];
  const split = 2 ** Math.floor(Math.log2(leaves.length - 1));
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split ? [...pathOf(index, left), rootOf(right)] : [...pathOf(index - split, right), rootOf(left)];
}

/** An Ed25519 key that every run makes alike. */
export function key(name) {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, sha256(Buffer.from(name))]), format: "der", type: "pkcs8" });
  const der = createPublicKey(secret).export({ format: "der", type: "spki" });
  return {
    publicKey: der.subarray(-32),
    fingerprint: `sha256:${sha256(der).toString("hex")}`,
    sign: (text) => sign(null, Buffer.from(text), secret),
  };
}

const KEYS = { root: key("root"), receipt: key("receipt"), log: key("log") };

const keyId = (name, type, publicKey) => sha256(Buffer.from(`${name}\n`), [type], publicKey).subarray(0, 4);
const lineOf = (name, data) => `— ${name} ${data.toString("base64")}\n`;

/** The signed text of a checkpoint. */
const textOf = ({ size, root }, origin = ORIGIN) => `${origin}\n${size}\n${root}\n`;

/** A head of any size and root, as whoever holds a log key can sign it. */
export function signedHead({ size, root }, by = KEYS.log, origin = ORIGIN) {
  const text = textOf({ size, root }, origin);
  const data = Buffer.concat([keyId(origin, 1, by.publicKey), by.sign(text)]);
  return { origin, size, root, note: `${text}\n${lineOf(origin, data)}` };
}

/** An outside party that cosigns (C2SP tlog-cosignature). */
export function witness(name) {
  const own = key(name);
  const id = keyId(name, 4, own.publicKey);
  const data = Buffer.concat([Buffer.from([4]), own.publicKey]);
  return {
    name,
    vkey: `${name}+${id.toString("hex")}+${data.toString("base64")}`,
    /** A line under a head; `saw` is what was really signed. */
    line(time, saw) {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(time));
      return lineOf(name, Buffer.concat([id, stamp, own.sign(`cosignature/v1\ntime ${time}\n${textOf(saw)}`)]));
    },
  };
}

/** A receipt id of version 4 whose first two digits are `shard`. */
export const idOf = (shard, number = 0) => `${shard}${String(number).padStart(6, "0")}-1111-4111-8111-111111111111`;

/** The bytes of a signed receipt whose numbers come out again. */
export function receipt(change = {}, by = KEYS.receipt) {
  const document = {
    ...WORKED,
    schemaVersion: "1.0.0", track: "retrieval", receiptId: idOf("aa"), benchVersion: "0.1.0",
    ranAt: "2026-02-03T10:00:00Z", ranBy: { kind: "maintainer", name: "Ada" }, origin: "native", methodology: RULES,
    environment: {
      python: "3.11.7", platform: "linux/x86_64", cpu: null, cores: 2, loadAverage: null, runner: null,
      containerImage: null, git: { commit: null, dirty: null, tag: null }, packages: null,
    },
    logHead: null, supersedes: null, reproduces: null, intentId: null, derivedFrom: null, evidence: [], simulated: false,
    ...change,
  };
  const value = by.sign(canonical(document)).toString("base64url");
  return bytesOf({ ...document, signature: { algorithm: "Ed25519", publicKeyFingerprint: by.fingerprint, value } });
}

/** Entries and the keys that speak for them; copies of it are how a log forks. */
export class SmallLog {
  constructor(entries = [], events = 0) {
    this.entries = [...entries];
    this.events = events;
  }

  static founded() {
    const log = new SmallLog();
    log.event("key-add", "root", KEYS.root).event("key-add", "receipt", KEYS.receipt).event("key-add", "log", KEYS.log);
    log.say({ type: "methodology", track: RULES.id, version: RULES.version, sha256: RULES.sha256 });
    return log.say({ type: "fixture", id: WORKED.fixture.id, sha256: WORKED.fixture.sha256 });
  }

  copy(size = this.entries.length) {
    return new SmallLog(this.entries.slice(0, size), this.events);
  }

  get size() {
    return this.entries.length;
  }

  say(entry) {
    this.entries.push(bytesOf({ v: 1, ...entry }));
    return this;
  }

  event(type, role, about, limits = {}) {
    const signed = {
      v: 1, type, origin: ORIGIN, seq: this.events, role, fingerprint: about.fingerprint,
      publicKey: about.publicKey.toString("base64url"), rootFingerprint: KEYS.root.fingerprint, ...limits,
    };
    this.events += 1;
    return this.say({ ...signed, rootSignature: KEYS.root.sign(canonical(signed)).toString("base64url") });
  }

  /** A receipt takes its place; `recorded` is what the log says of its bytes. */
  publish(file, recorded = file) {
    const { receiptId } = JSON.parse(Buffer.from(file).toString());
    const path = `results/published/${receiptId.slice(0, 2)}/${receiptId}.json`;
    return this.say({ type: "receipt", path, sha256: sha256(recorded).toString("hex"), size: recorded.length });
  }

  /** Disputes of a receipt nobody has, until the log has this many entries. */
  fill(size, word = "filled") {
    while (this.size < size) {
      this.say({ type: "dispute", receiptId: idOf("00"), url: `https://lab.example/${word}/${this.size}` });
    }
    return this;
  }

  get root() {
    return rootOf(this.entries.map(leafOf)).toString("base64");
  }

  head(by = KEYS.log) {
    return signedHead({ size: this.size, root: this.root }, by);
  }

  /** The tlog-proof file of an entry, and in `extra` its bytes or whatever a liar puts there. */
  proof(index, by = KEYS.log, extra = this.entries[index]) {
    const hashes = pathOf(index, this.entries.map(leafOf)).map((hash) => `${hash.toString("base64")}\n`);
    const beside = `extra ${Buffer.from(extra).toString("base64")}`;
    return bytesOf(`c2sp.org/tlog-proof@v1\n${beside}\nindex ${index}\n${hashes.join("")}\n${this.head(by).note}`);
  }

  trust({ by = KEYS.log, witnesses = [], lines = "" } = {}) {
    const listed = { keyEvents: [], documents: [], events: [] };
    this.entries.forEach((entry, index) => {
      const text = Buffer.from(entry).toString();
      const { type } = JSON.parse(text);
      const list = type.startsWith("key-") ? "keyEvents" : ["methodology", "fixture"].includes(type) ? "documents" : "events";
      if (type !== "receipt") listed[list].push([index, text]);
    });
    const checkpoint = this.head(by).note + lines;
    return { v: 1, site: "Lab", origin: ORIGIN, roots: [KEYS.root.fingerprint], ...listed, checkpoint, witnesses };
  }

  /** Everything a site serves of this log, by path from its root. */
  files({ by = KEYS.log, lines = "" } = {}) {
    return new Map([["log/checkpoint", bytesOf(this.head(by).note + lines)], ...this.tiles(), ...this.#places()]);
  }

  tiles() {
    const files = new Map();
    for (let at = 0; at < this.size; at += WIDTH) {
      const bundle = this.entries.slice(at, at + WIDTH);
      const framed = bundle.flatMap((entry) => [Buffer.from([entry.length >> 8, entry.length & 255]), Buffer.from(entry)]);
      files.set(tilePath("entries", at / WIDTH, bundle.length), exactly(Buffer.concat(framed)));
    }
    let hashes = this.entries.map(leafOf);
    for (let level = 0; hashes.length > 0; level += 1) {
      const above = [];
      for (let at = 0; at < hashes.length; at += WIDTH) {
        const tile = hashes.slice(at, at + WIDTH);
        files.set(tilePath(level, at / WIDTH, tile.length), exactly(Buffer.concat(tile)));
        if (tile.length === WIDTH) above.push(rootOf(tile));
      }
      hashes = above;
    }
    return files;
  }

  #places() {
    const shards = new Map();
    this.entries.forEach((entry, index) => {
      const { type, path = "" } = JSON.parse(Buffer.from(entry).toString());
      const name = `log/lookup/${path.slice(18, 20)}.json`;
      if (type === "receipt") shards.set(name, { ...shards.get(name), [path.slice(-41, -5)]: index });
    });
    return [...shards].map(([name, places]) => [name, bytesOf(places)]);
  }
}

/** C2SP tlog-tiles; every log here has fewer than 1,000 tiles a level. */
export function tilePath(level, number, width) {
  return `log/tile/${level}/${String(number).padStart(3, "0")}${width === WIDTH ? "" : `.p/${width}`}`;
}

/** A stand-in for `fetch` over a Map of files; it writes down what it was asked. A value may be an Error. */
export class Host {
  constructor(files) {
    this.files = files;
    /** @type {{path: string, settings: RequestInit}[]} */
    this.asked = [];
  }

  paths() {
    return this.asked.map(({ path }) => path);
  }

  async answer(address, settings) {
    const path = String(address).slice(BASE.length);
    this.asked.push({ path, settings });
    const file = this.files.get(path);
    if (file instanceof Error) throw file;
    if (file instanceof Response) return file;
    return file === undefined ? new Response("", { status: 404 }) : new Response(file);
  }
}

/** Run one check against a host (a Map of files will do), or offline where it is null. */
export async function visit(check, site, request) {
  const host = site instanceof Map ? new Host(site) : site;
  const real = globalThis.fetch;
  globalThis.fetch = async (address, settings) => {
    if (host === null) throw new Error(`offline, and ${address} was asked for`);
    return host.answer(address, settings);
  };
  try {
    const base = host === null ? null : BASE;
    return await check({ bytes: new Uint8Array(), base, proof: null, key: null, wanted: null, seen: null, ...request });
  } finally {
    globalThis.fetch = real;
  }
}

/** The steps of a report under one name. */
export const named = (report, name) => report.steps.filter((step) => step.name === name);
