// Whether a receipt keeps what the log announced for it, as benchsite/history/registration.py has it.

import { hex, utf8 } from "./bytes.js";
import { sha256 } from "./digest.js";
import { serialize } from "./jcs.js";
import { said } from "./wording.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./entries.js").Entry} Entry */

/** What an intent fixes, in the order it is compared, and where a receipt says it. */
const FIELDS = /** @type {const} */ ([
  ["track", "track"], ["subjectSha256", "config.subjectSha256"], ["configSha256", "config"],
  ["methodology", "methodology.version"], ["seed", "config.seed"],
]);

/**
 * How a receipt that names an intent differs from what was pre-registered; null where it names none, or keeps it.
 * @param {Document} document
 * @param {ReadonlyMap<string, {index: number, entry: Entry}>} intents
 * @param {import("./types.js").Target} target
 * @returns {Promise<string | null>}
 */
export async function broken(document, intents, target) {
  const intent = document["intentId"] ?? null;
  if (intent === null) return null;
  const announced = intents.get(intent);
  if (announced === undefined) return said("intent-unknown", { intent });
  const { index, entry } = announced;
  const seen = document["logHead"]?.size ?? 0;
  if (index >= seen) return said("intent-late", { index, seen });
  const { config, track, methodology } = document;
  const { subjectSha256: source = null, seed = null } = config;
  if (typeof source !== "string") return said("intent-without-source");
  if (!Number.isInteger(seed)) return said("intent-without-seed");
  const configSha256 = hex(await sha256(utf8(serialize(config))));
  /** @type {{[name: string]: string | number}} */
  const kept = { track, subjectSha256: source, configSha256, methodology: methodology.version, seed, target: target.id };
  for (const [name, field] of [...FIELDS, /** @type {const} */ (["target", `${target.field}.id`])]) {
    const found = kept[name] ?? "";
    if (entry[name] !== found) {
      return said("intent-other", { index, field, stated: String(entry[name]), found: String(found) });
    }
  }
  return null;
}
