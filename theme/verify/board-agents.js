// What a leaderboard of the agents track keeps of a receipt, as benchsite/tracks/agents has it: the success rate, of the
// receipt and of each task.

import { inOrder } from "./differences.js";
import { filled } from "./filled.js";
import { oneLine, optionsWords } from "./label.js";
import { repr } from "./numerals.js";
import { DETAILS } from "./sentences-agents.js";

/** @typedef {import("./types.js").Document} Document */

const SUCCESS = "success";
const ENGINE = /^agents\/[0-9]+$/;
const SIGNIFICANT = 6;

/** What a run perturbs, in words; empty for nothing. @param {Document} config */
function perturbation({ perturbation: found = null }) {
  if (found === null) return "";
  return found.rate === null ? found.kind : `${found.kind} ${repr(Number(found.rate.toPrecision(SIGNIFICANT)))}`;
}

/**
 * Each role's model as it was requested, with its settings; else as the source names it.
 * @param {Document} system
 * @returns {Map<string, string>}
 */
function models({ models: uses = {}, model = null }) {
  /** @type {Map<string, string>} */
  const found = new Map(inOrder(Object.keys(uses)).map((role) => [role, named(uses[role])]));
  if (model !== null && !found.has("default")) found.set("default", model);
  for (const [role, name] of found) if (!name) found.set(role, "not stated");
  return found;
}

/** @param {Document} use */
function named({ requested, responded, settings = null }) {
  const name = requested || responded;
  const words = settings === null ? [] : optionsWords(settings);
  return name && words.length > 0 ? `${name} (${words.join(", ")})` : name;
}

/** @param {Document} document */
function label({ system, config }) {
  const words = [];
  const published = config.source?.configuration ?? "";
  const lower = published.toLowerCase();
  const slug = lower.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  if (slug === system.name && system.name !== lower.replaceAll("_", "-")) words.push(filled(DETAILS["label-published"], { name: published }));
  const names = models(system);
  const [first] = names.values();
  if (first !== undefined && new Set(names.values()).size === 1) words.push(filled(DETAILS["label-model"], { name: first }));
  else for (const [role, name] of names) words.push(filled(DETAILS["label-role"], { role, name }));
  words.push(...ofOptions(config.options));
  const perturbed = perturbation(config);
  if (perturbed !== "") words.push(filled(DETAILS["label-perturbed"], { what: perturbed }));
  if (config.runsPerTask > 1) words.push(filled(DETAILS["label-runs"], { count: config.runsPerTask }));
  return oneLine(words.join(", "));
}

/** @param {{[name: string]: unknown}} options */
function ofOptions(options) {
  return inOrder(Object.keys(options)).flatMap((name) => {
    if (name === "tools" && options[name] === "all") return [DETAILS["label-tools-all"]];
    if (name === "tools" && options[name] === "domains") return [DETAILS["label-tools-domains"]];
    return optionsWords({ [name]: options[name] });
  });
}

/**
 * The row of a system: equal for equal name, version, model and configuration, whatever files these were.
 * @param {Document} document
 */
function row({ system, config }) {
  const { source = null } = config;
  const kept = source === null ? null : { kind: source.kind, configuration: source.configuration };
  const { name, version, sizes = null, prompts = null } = system;
  const identity = { ...config, subjectSha256: null, source: kept, concurrency: null };
  return { name, version, sizes, prompts, models: Object.fromEntries(models(system)), config: identity };
}

/** @type {import("./leaderboard.js").Face} */
export const AGENTS_BOARD = {
  summary(document) {
    const { system, benchmark, config, scores, intervals } = document;
    const interval = intervals[SUCCESS] ?? null;
    const perturbed = perturbation(config);
    return {
      name: system.name, version: system.version, label: label(document), targetSha256: benchmark.sha256,
      row: row(document),
      metric: SUCCESS, value: scores[SUCCESS] ?? null, low: interval?.low ?? null, high: interval?.high ?? null,
      unranked: perturbed === "" ? [] : [filled(DETAILS["perturbed-runs"], { what: perturbed })],
    };
  },
  vector({ runs }) {
    /** @type {Map<string, number[]>} */
    const found = new Map();
    for (const [i, task] of runs.taskId.entries()) found.set(task, [...(found.get(task) ?? []), Number(runs.outcome[i] === SUCCESS)]);
    return new Map([...found].map(([task, values]) => [task, values.reduce((sum, one) => sum + one, 0) / values.length]));
  },
  isOnce: ({ runs }) => new Set(runs.taskId).size === runs.taskId.length,
  accepts: ({ system }) => system.kind === "baseline",
  under(methodology) {
    if (methodology === null || !ENGINE.test(methodology.engine)) return {};
    const { flips, level } = methodology.parameters;
    return { flips, level };
  },
};
