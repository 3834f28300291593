// Answers requests that arrive as messages; an exception becomes an answer too, because a bug may not hang the page. The
// Worker of another package's track is asked for that track's own answers alone.

import { runBoard } from "./board-engine.js";
import { readReceipt } from "./envelope.js";
import { run, runLog } from "./engine.js";
import { Fault } from "./fault.js";
import { materials } from "./materials.js";
import { about, Elsewhere, rescored } from "./rescore.js";
import { Served } from "./served.js";

/** @typedef {import("./types.js").Request} Request */

/**
 * @param {{onmessage: any, postMessage: (message: any) => void}} scope a Worker's global scope
 */
export function serve(scope) {
  scope.onmessage = async (/** @type {MessageEvent<{kind: "receipt" | "log" | "numbers" | "board", request: Request}>} */ event) => {
    try {
      const { kind, request } = event.data;
      if (kind === "numbers") scope.postMessage({ answer: await numbers(request) });
      else if (kind === "board") scope.postMessage({ report: await runBoard(/** @type {any} */ (request), (done, of) => scope.postMessage({ done, of })) });
      else if (kind === "log") scope.postMessage({ report: await runLog(request) });
      else scope.postMessage({ report: await run(request, (partial) => scope.postMessage({ partial })) });
    } catch (error) {
      if (error instanceof Elsewhere) scope.postMessage({ track: error.track });
      else scope.postMessage({ bug: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  };
}

/**
 * What the track of a receipt says of it, in a form that a message carries.
 * @param {Request} request
 */
async function numbers(request) {
  const receipt = readReceipt(request.bytes);
  const served = request.base === null ? null : new Served(request.base);
  const atHand = materials({ served, mirrors: request.trust.mirrors ?? [], given: request.given ?? [] });
  const described = about(receipt);
  try {
    const found = await rescored(receipt, atHand);
    if (found.lacking !== null) return { ...described, lacking: found.lacking };
    const { lacking: _none, needs, ...rest } = found;
    return { ...described, ...rest, needs: [...needs] };
  } catch (error) {
    if (error instanceof Fault) return { ...described, fault: { message: error.message, field: error.field } };
    throw error;
  }
}
