// A tampered copy of a receipt, for a visitor who wants to see verification fail: one score changed, everything else kept.

import { utf8 } from "./bytes.js";
import { serialize } from "./jcs.js";
import { parse } from "./json.js";

/** @param {number} value of 1 or of 100: it stays within its range */
function altered(value) {
  if (value === 0) return 0.1;
  const isHigh = (value > 0.9 && value <= 1) || value > 90;
  return Number((value * (isHigh ? 0.9 : 1.1)).toFixed(4));
}

/**
 * The canonical bytes with one score changed, and what was changed; null where there is no score to change.
 * @param {Uint8Array} bytes of a receipt
 * @returns {{bytes: Uint8Array, change: string} | null}
 */
export function tampered(bytes) {
  const document = parse(bytes);
  if (document === null || typeof document !== "object" || Array.isArray(document)) return null;
  const scores = document["scores"] ?? null;
  if (scores === null || typeof scores !== "object" || Array.isArray(scores)) return null;
  const numbers = Object.entries(scores).filter(([, value]) => typeof value === "number");
  const [name, value] = numbers.find(([key]) => key.startsWith("ndcg")) ?? numbers[0] ?? [];
  if (name === undefined || typeof value !== "number") return null;
  const changed = altered(value);
  scores[name] = changed;
  return { bytes: utf8(serialize(document)), change: `scores.${name} changed from ${value} to ${changed}` };
}
