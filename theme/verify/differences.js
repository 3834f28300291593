// Where two tables of numbers differ: what a receipt states beside what comes out again. Every track re-scores with it.

import { isObject } from "./shape.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Difference} Difference */
/** @typedef {{scores: Document, denominators: Document, intervals: Document}} Table of one group; none has a prototype */

/**
 * Differences down to the single number; what is not there is null.
 * @param {any} stated
 * @param {any} computed
 * @param {string} field
 * @returns {Generator<Difference>}
 */
export function* nested(stated, computed, field) {
  if (isObject(stated) && isObject(computed)) {
    for (const name of inOrder([...Object.keys(stated), ...Object.keys(computed)])) {
      yield* nested(own(stated, name), own(computed, name), `${field}.${name}`);
    }
  } else if (stated !== computed) {
    yield { field, recorded: stated, computed };
  }
}

/**
 * Differences of one table; an interval that was not computed must still be stated for its metric.
 * @param {Document} stated
 * @param {Table} computed intervals by Wilson alone
 * @param {string} prefix
 * @returns {Generator<Difference>}
 */
export function* tableDifferences(stated, computed, prefix) {
  yield* nested(stated["scores"], computed.scores, `${prefix}scores`);
  yield* nested(stated["denominators"], computed.denominators, `${prefix}denominators`);
  const given = stated["intervals"];
  for (const metric of inOrder([...Object.keys(given), ...Object.keys(computed.scores)])) {
    const interval = own(given, metric);
    const field = `${prefix}intervals.${metric}`;
    if (metric in computed.intervals) {
      yield* nested(interval, computed.intervals[metric], field);
    } else if (!(metric in computed.scores)) {
      yield { field, recorded: interval, computed: null };
    } else if (interval?.method !== "bootstrap") {
      yield { field, recorded: interval, computed: "an interval by bootstrap" };
    }
  }
}

/**
 * @param {Document} holder
 * @param {string} name
 * @returns {any} null where there is none
 */
export function own(holder, name) {
  return Object.hasOwn(holder, name) ? holder[name] : null;
}

/**
 * Each name once, ordered by code points as Python orders text; engines order by UTF-16 code units.
 * @param {string[]} names
 * @returns {string[]}
 */
export function inOrder(names) {
  const distinct = [...new Set(names)].sort();
  return distinct.some((name) => /[\ud800-\udfff]/.test(name)) ? distinct.sort(byCodePoint) : distinct;
}

/**
 * The order of two texts in Python.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function byCodePoint(a, b) {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
