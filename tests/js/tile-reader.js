// Answers test_tiles.py: reads logs as JSON lines on stdin (a head, its tiles in base64, and what to build from them)
// and writes what theme/verify/tiles.js builds, a line each.

import { createInterface } from "node:readline";
import { Tree } from "../../theme/verify/tiles.js";

const decode = (text) => new Uint8Array(Buffer.from(text, "base64"));
const encode = (data) => Buffer.from(data).toString("base64");
const all = (list, build) => Promise.all((list ?? []).map(build));

for await (const line of createInterface({ input: process.stdin })) {
  const { size, root, tiles, ask } = JSON.parse(line);
  const served = new Map(Object.entries(tiles));
  const read = async (path) => (served.has(path) ? decode(served.get(path)) : null);
  const tree = new Tree({ size, root: decode(root) }, read);
  const answer = {
    inclusion: await all(ask.inclusion, async (index) => (await tree.inclusionProof(index)).map(encode)),
    consistency: await all(ask.consistency, async (old) => (await tree.consistencyProof(old)).map(encode)),
    roots: await all(ask.roots, async (old) => encode(await tree.root(old))),
    leaves: await all(ask.leaves, async (index) => encode(await tree.leaf(index))),
    entries: await all(ask.entries, async (index) => encode(await tree.entry(index))),
  };
  console.log(JSON.stringify(answer));
}
