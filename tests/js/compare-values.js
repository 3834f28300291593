// Reads per-query.json and prints the lines of every pair, for test_compare_parity.py.

import { readFileSync } from "node:fs";

const { byCategory, byMetric, sentence } = await import("../../theme/assets/js/compare-lines.js");
const { valuesOf } = await import("../../theme/assets/js/compare-values.js");

const data = JSON.parse(readFileSync(0, "utf-8"));
const values = data.systems.map((system) => valuesOf(data, system));
const found = [];
data.systems.forEach((first, i) => data.systems.forEach((second, j) => {
  if (i === j) return;
  const lines = byMetric(data, [first, second], [values[i], values[j]]);
  found.push({
    ids: [first.receiptId, second.receiptId],
    metrics: lines,
    categories: byCategory(data, [first, second], [values[i], values[j]]),
    sentence: sentence(data, [first, second], lines, "items"),
  });
}));
process.stdout.write(JSON.stringify(found));
