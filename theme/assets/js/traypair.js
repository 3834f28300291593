// Two rows of a leaderboard that pairs.json has no answer for, compared from per-query.json by the code of the comparison page.

import { byMetric, delta, figure, interval, pValue } from "./compare-lines.js";
import { valuesOf } from "./compare-values.js";

/** @typedef {import("./compare-values.js").Data} Data */
/** @typedef {import("./compare-values.js").Values} Values */
/** @typedef {import("./board-tray.js").Answer} Answer */

/**
 * The answer for two receipts; null if the file lacks one of them, or they ran other items.
 * @param {Data} every
 * @param {string} first
 * @param {string} second
 * @returns {Answer | null}
 */
export function answerOf(every, first, second) {
  const data = { ...every, metrics: every.metrics.slice(0, 1) };
  const [metric] = data.metrics;
  const [a, b] = [first, second].map((id) => data.systems.find(({ receiptId }) => receiptId === id));
  if (!metric || !a || !b) return null;
  const [one, other] = [valuesOf(data, a), valuesOf(data, b)];
  const [x, y] = [one.get(metric.key) ?? [], other.get(metric.key) ?? []];
  if (data.items.id.some((_, i) => (x[i] ?? null) === null !== ((y[i] ?? null) === null))) return null;
  const [line] = byMetric(data, [a, b], [one, other]);
  if (!line) return null;
  const isTested = data.test !== null;
  const bounded = a.low !== null && a.high !== null && b.low !== null && b.high !== null;
  const overlap = bounded ? Number(a.low) <= Number(b.high) && Number(b.low) <= Number(a.high) : null;
  const difference = isTested || a.value === null || b.value === null ? line.difference : a.value - b.value;
  const tied = isTested ? line.p !== null && line.p >= (data.test?.level ?? 0.05) : overlap;
  return {
    first,
    second,
    shown: { delta: delta(metric, difference), interval: interval(metric, line.interval), p: `${pValue(line.p)}${tied ? ", n.s." : ""}` },
    p: isTested ? line.p : null,
    tied,
    wins: line.wins,
    losses: line.losses,
    ties: line.n - line.wins - line.losses,
    category: widest(data, metric, [x, y]),
    cost: null,
  };
}

/**
 * The category in which the means differ most; null if they differ in none, and without categories.
 * @param {Data} data
 * @param {Data["metrics"][number]} metric
 * @param {[(number | null)[], (number | null)[]]} values
 * @returns {import("./board-tray.js").Both | null}
 */
function widest({ items, test }, metric, [x, y]) {
  if (test === null) return null;
  let [start, most] = [0, 0];
  let found = null;
  for (const { name, items: size } of items.categories) {
    const places = Array.from({ length: size }, (_, i) => start + i).filter((i) => (x[i] ?? null) !== null);
    start += size;
    if (name === "" || places.length === 0) continue;
    const [a, b] = [x, y].map((column) => places.reduce((sum, i) => sum + Number(column[i]), 0) / places.length);
    const difference = Math.abs((a ?? 0) - (b ?? 0));
    if (difference > most) {
      most = difference;
      found = { label: name.replaceAll("_", " "), first: figure(metric, a ?? null), second: figure(metric, b ?? null) };
    }
  }
  return found;
}
