// What the runs of one task come to, as benchsite/tracks/agents/scores/descriptor.py defines it ("describe"), under the names that
// scores have. Every number is a count, the quotient of two integers rounded once, or made of + - * / and the square root
// on doubles in Python's order; sums are correctly rounded. null is a blank: not every run states what a value is made of.

import { Rational } from "./rational.js";
import { fsum } from "./stats.js";

/** @typedef {{[name: string]: number | null}} Descriptor in the order of Python's `METRICS` */
/** @typedef {(name: string) => number[] | null} Column what every run of the task states; null where one does not */

/** At 1, pass@k and pass^k are the success rate, which scores do not repeat. */
const KS = [3, 5, 8];

/**
 * One task that was run at least once.
 * @param {readonly string[]} outcomes of its runs
 * @param {Column} column
 * @returns {Descriptor}
 */
export function describe(outcomes, column) {
  const n = outcomes.length;
  const c = outcomes.filter((outcome) => outcome === "success").length;
  const valid = n - outcomes.filter((outcome) => outcome === "error").length;
  const tokens = column("tokens");
  const latency = column("latencyMs");
  const meanTokens = of(mean, tokens);
  const several = n > 1;
  const tokensVar = several ? of(variance, tokens) : null;
  const sure = column("confidence");
  return {
    success: c / n,
    completion: of(mean, column("completion")),
    latency_p95: of(p95, latency),
    tokens_total: meanTokens,
    cost_total: of(mean, column("costUsd")),
    tool_calls_total: of(mean, column("toolCalls")),
    tool_error_rate: errorRate(column("toolCalls"), column("toolFailures")),
    ...communication(column, n),
    handoff_count: of(mean, column("handoffs")),
    success_var: several ? (c * (n - c)) / (n * n) : null,
    latency_var: several ? of(variance, latency) : null,
    tokens_var: tokensVar,
    steps_total: of(mean, column("steps")),
    backtrack_rate: meanRatio(column("backtracks"), column("steps")),
    loop_score: meanRatio(column("loopNum"), column("loopDen")),
    verification_density: meanRatio(column("verifies"), column("steps")),
    turns_total: of(mean, column("turns")),
    redundancy: of(mean, column("redundancy")),
    success_valid: valid > 0 ? c / valid : null,
    ...passes(n, c, valid),
    stability: several ? ((n - 2 * c) * (n - 2 * c)) / (n * n) : null,
    eval_avg_score: of(mean, column("score")),
    cost_per_success: meanTokens === null || c === 0 ? null : meanTokens / (c / n),
    tokens_cv: several && tokens !== null ? variation(tokens) : null,
    latency_cv: several && latency !== null ? variation(latency) : null,
    brier_score: sure === null ? null : mean(sure.map((value, i) => brier(value, outcomes[i] === "success"))),
  };
}

/**
 * pass@k: 1 - C(n - c, k) / C(n, k), as the quotient of two integers, rounded once (arXiv 2107.03374).
 * @param {number} n runs
 * @param {number} c successes among them
 * @param {number} k
 * @returns {number | null} null where n < k
 */
export function passAtK(n, c, k) {
  return n < k ? null : quotient(choose(n, k) - choose(n - c, k), choose(n, k));
}

/**
 * pass^k: C(c, k) / C(n, k), rounded once (arXiv 2406.12045).
 * @param {number} n
 * @param {number} c
 * @param {number} k
 * @returns {number | null} null where n < k
 */
export function passHatK(n, c, k) {
  return n < k ? null : quotient(choose(c, k), choose(n, k));
}

/**
 * The 95th percentile by linear interpolation between the two nearest ranks.
 * @param {readonly number[]} values at least one
 */
export function p95(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const place = 19 * (ordered.length - 1);
  const r = place % 20;
  const low = /** @type {number} */ (ordered[(place - r) / 20]);
  const high = /** @type {number} */ (ordered[(place - r) / 20 + (r > 0 ? 1 : 0)]);
  return r > 0 ? low + ((high - low) * r) / 20 : low;
}

/**
 * The population variance.
 * @param {readonly number[]} values at least one
 */
export function variance(values) {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) * (value - middle)));
}

/**
 * The population standard deviation over the mean; null where the mean is 0.
 * @param {readonly number[]} values at least one
 */
function variation(values) {
  const middle = mean(values);
  return middle > 0 ? Math.sqrt(variance(values)) / middle : null;
}

/**
 * @param {number} confidence
 * @param {boolean} success
 */
function brier(confidence, success) {
  return (confidence - Number(success)) * (confidence - Number(success));
}

/** @param {readonly number[]} values at least one; true counts 1 */
export function mean(values) {
  return fsum(values.map(Number)) / values.length;
}

/**
 * @param {(values: number[]) => number} measure
 * @param {number[] | null} values
 */
function of(measure, values) {
  return values === null ? null : measure(values);
}

/**
 * @param {Column} column
 * @param {number} n
 */
function communication(column, n) {
  const [between, mediated] = [column("agentToAgent"), column("systemMediated")];
  return {
    communication_count: between === null || mediated === null ? null : quotient(total([...between, ...mediated]), BigInt(n)),
    agent_to_agent_communication_count: of(mean, between),
    system_mediated_communication_count: of(mean, mediated),
  };
}

/**
 * Failures over calls of all runs, 0 without calls.
 * @param {number[] | null} calls
 * @param {number[] | null} failures
 */
function errorRate(calls, failures) {
  if (calls === null || failures === null) return null;
  return calls.some((count) => count > 0) ? quotient(total(failures), total(calls)) : 0;
}

/**
 * @param {number[] | null} above
 * @param {number[] | null} below
 */
function meanRatio(above, below) {
  if (above === null || below === null) return null;
  return mean(above.map((count, i) => (below[i] ? count / below[i] : 0)));
}

/**
 * @param {number} n
 * @param {number} c
 * @param {number} valid runs that are no error
 * @returns {Descriptor}
 */
function passes(n, c, valid) {
  return Object.fromEntries([
    ...KS.map((k) => [`pass_at_${k}`, passAtK(n, c, k)]),
    ...KS.map((k) => [`pass_hat_${k}`, passHatK(n, c, k)]),
    ...KS.map((k) => [`pass_hat_${k}_valid`, passHatK(valid, c, k)]),
  ]);
}

/**
 * How many ways there are to draw k of n.
 * @param {number} n
 * @param {number} k
 */
function choose(n, k) {
  let ways = 1n;
  for (let i = 0; i < k; i += 1) ways = (ways * BigInt(n - i)) / BigInt(i + 1);
  return ways;
}

/** @param {readonly number[]} counts whole, each exact */
function total(counts) {
  const sum = counts.reduce((before, count) => before + count, 0);
  return Number.isSafeInteger(sum) ? BigInt(sum) : counts.reduce((before, count) => before + BigInt(count), 0n);
}

/**
 * The quotient of two whole numbers, rounded once.
 * @param {bigint} num
 * @param {bigint} den
 */
function quotient(num, den) {
  const [above, below] = [Number(num), Number(den)];
  return Number.isSafeInteger(above) && Number.isSafeInteger(below) ? above / below : new Rational(num, den).toDouble();
}
