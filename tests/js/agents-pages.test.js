// The pure parts of the modules of agents pages, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const modules = "../../theme/assets/js/";
const { compared, outcomeWords, rate } = await import(`${modules}compare.js`);
const { rowsOf } = await import(`${modules}runs.js`);
const { keeps } = await import(`${modules}tasks.js`);

const data = {
  tasks: { id: ["a", "b", "c", "d"], domain: ["x", "x", "y", "y"], page: ["x", "x", "y", "y"] },
  systems: [
    { receiptId: "1", name: "one", label: "", outcomes: [["success"], ["failure"], ["success"], []] },
    { receiptId: "2", name: "two", label: "", outcomes: [["failure, harmful"], ["failure"], ["success"], ["success"]] },
  ],
};

test("wins, losses and ties are counted over the tasks that both ran", () => {
  const [one, two] = data.systems;
  const differing = [{ id: "a", domain: "x", page: "x", first: "success", second: "failure, harmful" }];
  assert.deepEqual(compared(data, one, two), { wins: 1, losses: 0, ties: 2, differing });
  assert.deepEqual([compared(data, two, one).wins, compared(data, two, one).losses], [0, 1]);
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
    ["a", "x", "success", "no", "1,234", "–"],
    ["b", "y", "limit: iterations", "no", "–", "–"],
    ["b, run 2", "y", "failure", "yes", "0", "–"],
  ]);
});

test("a task is kept where every filter keeps it", () => {
  const all = { words: "", domain: "", acts: false, split: false };
  const row = { text: "calendar-001 Delete my meeting", domain: "calendar", acts: true, split: false };
  assert.equal(keeps(row, all), true);
  assert.equal(keeps(row, { ...all, words: "delete my", domain: "calendar", acts: true }), true);
  assert.equal(keeps(row, { ...all, domain: "email" }), false);
  assert.equal(keeps(row, { ...all, split: true }), false);
  assert.equal(keeps({ ...row, acts: false }, { ...all, acts: true }), false);
  assert.equal(keeps(row, { ...all, words: "create" }), false);
});
