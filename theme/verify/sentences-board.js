// Written by `make reference` from benchsite.board.sentences; do not edit.

export const MESSAGES = Object.freeze({
  "row-dropped": "missing: receipt {receipt}, entry {index}; the record has it {place}",
  "row-added": "added: receipt {receipt} is listed {place}; the record does not have it on this leaderboard",
  "row-repeated": "added: receipt {receipt} is listed more than once",
  "row-moved": "altered: receipt {receipt} is listed {place}; the record has it {computed}",
  "row-altered": "altered: {field} of receipt {receipt} is {stated}; the record gives {computed}",
  "row-reordered": "reordered: receipt {receipt} is listed where the record has {computed}, at place {place} of the rows",
  "heading-altered": "altered: {field} of the leaderboard is {stated}; the record gives {computed}",
});

export const DETAILS = Object.freeze({
  "no-common-tasks": "it shares no {tasks} with the other receipts",
  "as-ranked": "as rank {rank}",
  "as-unplaced": "in the {section} rows, without a rank",
  "as-excluded": "as not ranked: {reasons}",
  "as-earlier": "as an earlier run of receipt {by}",
  "whole": "No receipt is missing up to entry {last}.",
  "whole-until": "No receipt is missing up to entry {last}. Later entries of the log, not in this leaderboard: {later}.",
  "recomputed": "The leaderboard as of entry {last}, recomputed.",
  "different": "Differences from the record: {count}.",
  "no-statement": "not a leaderboard statement: {why}",
  "other-root": "the leaderboard names root {stated} at size {size}; the log has {computed}",
  "larger": "the leaderboard is of {stated} entries; the log known here has {size}",
  "other-log": "the leaderboard is of another log: {origin}",
});
