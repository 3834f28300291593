// What a page is given of one check: the receipt's steps and the log's in one order, and everything of a size that a page
// can show. A hostile receipt can hold a hundred thousand contradictions; the first ones and their number are enough.

/** @typedef {import("./types.js").Report} Report */
/** @typedef {import("./types.js").Step} Step */
/** @typedef {import("./types.js").Rescoring} Rescoring */
/** @typedef {import("./types.js").Json} Json */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./engine.js").Opened} Opened */

/** Steps that belong to the log and not to the receipt follow this one. */
const BEFORE_LOG_STEPS = "log";
/** Of one name. */
const MOST_STEPS = 100;
const MOST_VIOLATIONS = 100;
const MOST_DIFFERENCES = 500;
const MOST_WANTING = 20;
const LONGEST_DETAIL = 2000;
const LONGEST_FIELD = 300;
const LONGEST_NAME = 200;

/**
 * @param {Findings} found
 * @param {Opened} opened
 * @returns {Promise<Report>}
 */
export async function report(found, opened) {
  const { at, broken, lacking, record } = opened;
  const document = found.receipt?.document ?? null;
  const window = await provenWindow(found, opened);
  const logSteps = [
    ...(at?.steps ?? []), ...(record?.troubles ?? []), ...(broken ? [broken.step] : []), ...(lacking ? [lacking] : []),
  ];
  const spoken = found.verdict !== "UNKNOWN SIGNER" || broken !== null;
  return {
    verdict: found.verdict,
    steps: bounded(spoken ? inOrder(found.steps, logSteps) : found.steps),
    rescoring: found.rescoring === null ? null : shortened(found.rescoring),
    receiptId: document?.["receiptId"] ?? null,
    ranAt: document?.["ranAt"] ?? null,
    wanting: found.wanting.slice(0, MOST_WANTING),
    words: found.words,
    subject: subjectOf(found.subject),
    figure: found.figure,
    window,
    index: found.index,
    head: at?.head ?? null,
    keep: at?.keep ?? false,
    material: found.material,
    evidence: broken?.evidence ?? null,
    proof: found.proof,
    course: broken?.course ?? (record?.isOlder ? "stale" : at?.course) ?? null,
    compromised: found.compromised,
    reach: at === null ? null : { entries: at.head.size, whole: at.whole },
  };
}

/**
 * The receipt's own steps with those of the log after its place in it.
 * @param {Step[]} steps
 * @param {Step[]} logSteps
 */
function inOrder(steps, logSteps) {
  const at = steps.map(({ name }) => name).lastIndexOf(BEFORE_LOG_STEPS);
  const before = at >= 0 ? at + 1 : steps.findIndex(({ name }) => name === "re-score");
  const cut = before < 0 ? steps.length : before;
  return [...steps.slice(0, cut), ...logSteps, ...steps.slice(cut)];
}

/**
 * @param {Step[]} steps
 * @returns {Step[]}
 */
function bounded(steps) {
  /** @type {Map<string, number>} */
  const total = new Map();
  for (const { name } of steps) total.set(name, (total.get(name) ?? 0) + 1);
  /** @type {Map<string, number>} */
  const met = new Map();
  return steps.flatMap((step) => {
    const number = (met.get(step.name) ?? 0) + 1;
    met.set(step.name, number);
    if (number > MOST_STEPS + 1) return [];
    const more = (total.get(step.name) ?? 0) - MOST_STEPS;
    if (number > MOST_STEPS) return [{ ...step, detail: `and ${more} more`, field: "", shown: [] }];
    return [{ ...step, detail: cut(step.detail, LONGEST_DETAIL), field: cut(step.field, LONGEST_FIELD) }];
  });
}

/**
 * What the receipt says it measured; null where it says so in no form that a page could show.
 * @param {Json | undefined} named an adapter or an agent
 */
function subjectOf(named) {
  if (named === null || typeof named !== "object" || Array.isArray(named)) return null;
  const { name, version } = named;
  if (typeof name !== "string" || typeof version !== "string") return null;
  return { name: cut(name, LONGEST_NAME), version: cut(version, LONGEST_NAME) };
}

/**
 * @param {Rescoring} rescoring
 * @returns {Rescoring}
 */
function shortened(rescoring) {
  const { differences, violations, further: _steps, ...rest } = rescoring;
  return {
    ...rest,
    reason: cut(rescoring.reason, LONGEST_DETAIL),
    differences: differences.slice(0, MOST_DIFFERENCES).map(({ field, recorded, computed }) => ({
      field: cut(field, LONGEST_FIELD), recorded: small(recorded), computed: small(computed),
    })),
    violations: violations.slice(0, MOST_VIOLATIONS).map(({ code, message, field }) => ({
      code, message: cut(message, LONGEST_DETAIL), field: cut(field, LONGEST_FIELD),
    })),
  };
}

/**
 * A value as it is, or the beginning of its text where it is long.
 * @param {Json | undefined} value
 * @returns {Json | undefined}
 */
function small(value) {
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean") return value;
  const text = JSON.stringify(value);
  return text.length <= LONGEST_DETAIL ? value : cut(text, LONGEST_DETAIL);
}

/**
 * @param {string} text
 * @param {number} most code units; a character is never halved
 */
function cut(text, most) {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Between which times witnesses place the receipt.
 * @param {Findings} found
 * @param {Opened} opened
 */
async function provenWindow(found, { record }) {
  const head = found.receipt?.document["logHead"] ?? null;
  if (record === null || found.index === null) return { notBefore: null, notAfter: null };
  return {
    notBefore: head === null ? null : await record.cosignatures.after(head.size, 0),
    notAfter: await record.cosignatures.holding(found.index),
  };
}
