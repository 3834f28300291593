// The pure parts of the modules of agents pages, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const modules = "../../theme/assets/js/";
const { chosen, differing, outcomeWords, pairOf, rate } = await import(`${modules}compare.js`);
const { rowsOf } = await import(`${modules}runs.js`);

const data = {
  tasks: { id: ["a", "b", "c", "d"], domain: ["x", "x", "y", "y"] },
  systems: [
    { receiptId: "1", name: "one", label: "", outcomes: [["success"], ["failure"], ["success"], []] },
    { receiptId: "2", name: "two", label: "", outcomes: [["failure, harmful"], ["failure"], ["success"], ["success"]] },
  ],
  pairs: [
    { first: "1", second: "2", wins: 1 },
    { first: "2", second: "1", wins: 0 },
  ],
};

test("tasks that differ are those that both ran, with who won", () => {
  const [one, two] = data.systems;
  assert.deepEqual(differing(data, one, two), [
    { id: "a", domain: "x", first: "success", second: "failure, harmful", won: true },
  ]);
  assert.deepEqual(differing(data, two, one).map(({ won }) => won), [false]);
});

test("a pair is found in the order given, and none where there is no comparison", () => {
  const [one, two] = data.systems;
  assert.equal(pairOf(data, one, two).wins, 1);
  assert.equal(pairOf(data, two, one).wins, 0);
  assert.equal(pairOf(data, one, { ...two, receiptId: "3" }), null);
});

test("a system is not compared with itself", () => {
  assert.deepEqual(chosen(-1, -1), [0, 1]);
  assert.deepEqual(chosen(2, 1), [2, 1]);
  assert.deepEqual(chosen(1, 1), [1, 0]);
  assert.deepEqual(chosen(0, 0), [0, 1]);
  assert.deepEqual(chosen(-1, 0), [0, 1]);
});

test("a rate is the share of runs that succeeded, and blank without runs", () => {
  assert.equal(rate(["success", "failure", "failure", "success"]), 0.5);
  assert.equal(rate([]), null);
  assert.equal(outcomeWords(["limit"]), "limit");
  assert.equal(outcomeWords(["success", "error", "failure"]), "1/3 succeeded");
});

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
