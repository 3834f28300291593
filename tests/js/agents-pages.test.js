// The pure parts of the modules of agents pages, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const modules = "../../theme/assets/js/";
const { rowsOf } = await import(`${modules}runs.js`);

test("a run's row has its domain, its limit and a dash for what the source does not state", () => {
  const receipt = {
    tasks: { id: ["a", "b"], domain: ["x", "y"] },
    runs: {
      taskId: ["a", "b", "b"],
      run: [1, 1, 2],
      outcome: ["success", "limit", "failure"],
      limit: [null, "iterations", null],
      harmful: [false, false, true],
      toolCalls: [1234, null, 0],
    },
  };
  assert.deepEqual(rowsOf(receipt), [
    { task: "a", run: 1, cells: ["a", "x", "success", "no", "1,234", "–"] },
    { task: "b", run: 1, cells: ["b", "y", "limit: iterations", "no", "–", "–"] },
    { task: "b", run: 2, cells: ["b, run 2", "y", "failure", "yes", "0", "–"] },
  ]);
});
