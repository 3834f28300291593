// Answers for test_board_parity.py: one leaderboard to verify a line in, its report a line out.

import { createInterface } from "node:readline";

import { runBoard } from "../../theme/verify/board-engine.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { trust, at } = JSON.parse(line);
  const { state, sentence, statement, discrepancies, receipts } = await runBoard({ trust, base: null, seen: null, file: null, path: null, at });
  process.stdout.write(`${JSON.stringify({ state, sentence, statement, discrepancies, receipts })}\n`);
}
