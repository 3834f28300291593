// Lines of a comparison, as benchsite/board/two_systems.py computes them with a leaderboard's test; and their words.

import { byCodePoint } from "../../verify/differences.js";
import { holm, mcnemar } from "../../verify/paired.js";
import { Flips } from "../../verify/resample.js";
import { fsum } from "../../verify/stats.js";
import { detectable, meanInterval } from "./paired-tests.js";

/** @typedef {import("./compare-values.js").Data} Data */
/** @typedef {import("./compare-values.js").System} System */
/** @typedef {import("./compare-values.js").Values} Values */
/** @typedef {Data["metrics"][number]} Metric */

/**
 * @typedef {object} Line
 * @property {string} name of a metric or a category
 * @property {number} n common items
 * @property {number} first mean
 * @property {number} second
 * @property {number} difference the first less the second
 * @property {{low: number, high: number} | null} interval
 * @property {number} wins
 * @property {number} losses
 * @property {number | null} p unadjusted
 * @property {number | null} holm
 * @property {number | null} detectable
 */

/**
 * A line per metric.
 * @param {Data} data
 * @param {[System, System]} pair
 * @param {[Values, Values]} values
 * @returns {Line[]}
 */
export function byMetric(data, pair, values) {
  const every = data.items.id.map((_, i) => i);
  return adjusted(data.metrics.flatMap(({ key }) => line(data, pair, values, key, key, every)));
}

/**
 * A line per category, of the headline.
 * @param {Data} data
 * @param {[System, System]} pair
 * @param {[Values, Values]} values
 * @returns {Line[]}
 */
export function byCategory(data, pair, values) {
  const headline = data.metrics[0]?.key ?? "";
  let start = 0;
  return adjusted(data.items.categories.flatMap(({ name, items: size }) => {
    const places = Array.from({ length: size }, (_, i) => start + i);
    start += size;
    return name === "" ? [] : line(data, pair, values, headline, name, places);
  }));
}

/**
 * The line of one metric over some items, not adjusted.
 * @param {Data} data
 * @param {[System, System]} pair
 * @param {[Values, Values]} values
 * @param {string} key
 * @param {string} name
 * @param {number[]} places
 * @param {Flips | null} [flips] of the leaderboard's test, if the caller makes several
 * @returns {Line[]} none without a common item
 */
export function line({ items, metrics, test }, pair, [one, other], key, name, places, flips = null) {
  const isHeadline = key === metrics[0]?.key;
  const [a, b] = [one.get(key) ?? [], other.get(key) ?? []];
  const common = places.filter((i) => (a[i] ?? null) !== null && (b[i] ?? null) !== null)
    .sort((x, y) => byCodePoint(items.id[x] ?? "", items.id[y] ?? ""));
  if (common.length === 0) return [];
  const [first, second] = [common.map((i) => Number(a[i])), common.map((i) => Number(b[i]))];
  const differences = first.map((value, i) => value - (second[i] ?? 0));
  const wins = differences.filter((value) => value > 0).length;
  const losses = differences.filter((value) => value < 0).length;
  const isExact = isHeadline ? pair.every(({ once }) => once) : [...first, ...second].every((value) => value === 0 || value === 1);
  const p = test === null ? null : isExact ? mcnemar(wins, losses) : (flips ?? new Flips(BigInt(test.seed), test.flips)).pValue(first, second);
  return [{
    name,
    n: common.length,
    first: fsum(first) / first.length,
    second: fsum(second) / second.length,
    difference: fsum(differences) / differences.length,
    interval: meanInterval(differences),
    wins,
    losses,
    p,
    holm: null,
    detectable: detectable(differences),
  }];
}

/**
 * @param {Line[]} lines
 * @returns {Line[]}
 */
function adjusted(lines) {
  const tested = lines.flatMap(({ p }) => (p === null ? [] : [p]));
  if (tested.length < lines.length) return lines;
  const found = holm(tested);
  return lines.map((one, i) => ({ ...one, holm: found[i] ?? null }));
}

/**
 * The settings that differ among systems, each with the values in their order.
 * @param {System[]} systems
 * @returns {[string, string[]][]}
 */
export function differing(systems) {
  const names = [...new Set(systems.flatMap(({ settings }) => Object.keys(settings)))];
  return names.flatMap((name) => {
    const values = systems.map(({ settings }) => settings[name] ?? "none");
    return new Set(values).size > 1 ? [[name, values]] : [];
  });
}

/**
 * A number as Python writes it: ties to even.
 * @param {number} value
 * @param {number} digits
 */
export function rounded(value, digits) {
  const text = value.toFixed(digits);
  const exact = value.toFixed(Math.min(100, digits + 60));
  const isTie = new RegExp(`\\.[0-9]{${digits}}50*$`).test(exact);
  const last = Number(text.slice(-1));
  return isTie && last % 2 === 1 ? `${text.slice(0, -1)}${last - 1}` : text;
}

/**
 * @param {Metric} metric
 * @param {number | null} value
 */
export function figure({ percent, digits }, value) {
  if (value === null) return "–";
  return percent ? `${rounded(100 * value, 1)}%` : rounded(value, digits);
}

/**
 * A difference with its sign, in points of shares.
 * @param {Metric} metric
 * @param {number} value
 */
export function delta({ percent, digits }, value) {
  if (percent) {
    const shown = rounded(100 * value, 1);
    return `${signed(Number(shown) === 0 ? "0.0" : shown)} pt`;
  }
  const shown = rounded(value, digits);
  return Number(shown) === 0 ? shown.replace("-", "") : signed(shown);
}

/** @param {string} shown */
function signed(shown) {
  return shown.startsWith("-") ? `−${shown.slice(1)}` : `+${shown}`;
}

/**
 * @param {Metric} metric
 * @param {Line["interval"]} found
 */
export function interval(metric, found) {
  if (found === null) return "–";
  return `[${[found.low, found.high].map((end) => delta(metric, end).replace(/ pt$/, "")).join(", ")}]`;
}

/** @param {number | null} p */
export function pValue(p) {
  if (p === null) return "not computed";
  if (p < 0.001) return "p < 0.001";
  let digits = 3;
  while (p !== 0.05 && Number(rounded(p, digits)) === 0.05 && digits < 17) digits += 1;
  return `p = ${rounded(p, digits)}`;
}

/**
 * The result of two systems in a sentence.
 * @param {Data} data
 * @param {[System, System]} pair
 * @param {Line[]} lines by metric
 * @param {string} noun
 */
export function sentence(data, [one, other], lines, noun) {
  const [headline, metric] = [lines[0], data.metrics[0]];
  const names = [nameOf(data, one), nameOf(data, other)];
  if (!headline || !metric || headline.name !== metric.key) return `${names[0]} and ${names[1]} have no common ${noun}.`;
  if (data.test === null) {
    const difference = one.value === null || other.value === null ? "" : `${metric.label} ${delta(metric, one.value - other.value)}; `;
    return `${names[0]} and ${names[1]}: ${difference}${overlap(one, other)}.`;
  }
  const numbers = `${metric.label} ${delta(metric, headline.difference)}, 95% CI ${interval(metric, headline.interval)}, ${headline.p === null ? "" : "unadjusted "}${pValue(headline.p)}`;
  if (headline.p === null || headline.p >= data.test.level) return `No significant difference between ${names[0]} and ${names[1]}: ${numbers}.`;
  return `${names[0]} is ${headline.difference > 0 ? "better" : "worse"} than ${names[1]} in a test of this pair alone: ${numbers}.`;
}

/**
 * @param {System} one
 * @param {System} other
 */
function overlap(one, other) {
  if (one.low === null || one.high === null || other.low === null || other.high === null) return "not tested";
  return one.low <= other.high && other.low <= one.high ? "the 95% CIs overlap" : "the 95% CIs do not overlap";
}

/**
 * A name; with version and options if several systems have it.
 * @param {Data} data
 * @param {System} system
 */
export function nameOf({ systems }, system) {
  if (systems.filter(({ name }) => name === system.name).length < 2) return system.name;
  return [system.name, system.version, system.label, system.sent].filter(Boolean).join(" ");
}
