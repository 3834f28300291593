// probe.js in Node: a request a line on stdin, its answer a line on stdout, after a first line with the version.
//   node probe-node.js [bundled]

import { createInterface } from "node:readline";
import { answer, withholdEd25519 } from "./probe.js";

if (process.argv[2] === "bundled") withholdEd25519();
console.log(JSON.stringify({ version: `node ${process.version}` }));
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(JSON.parse(line))));
}
