// Answers requests that arrive as messages; an exception becomes an answer too, because a bug may not hang the page.

import { run, runLog } from "./engine.js";
import { Elsewhere } from "./rescore.js";

/** @typedef {import("./types.js").Request} Request */

/**
 * @param {{onmessage: any, postMessage: (message: any) => void}} scope a Worker's global scope
 */
export function serve(scope) {
  scope.onmessage = async (/** @type {MessageEvent<{kind: "receipt" | "log", request: Request}>} */ event) => {
    try {
      const { kind, request } = event.data;
      scope.postMessage({ report: kind === "log" ? await runLog(request) : await run(request) });
    } catch (error) {
      if (error instanceof Elsewhere) scope.postMessage({ track: error.track });
      else scope.postMessage({ bug: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
    }
  };
}
