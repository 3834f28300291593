// Times verification inside a browser; run by tests/bench/bench_browser.py:
//   node bench-verify.js chrome|firefox <program>
// Standard input: {rounds, receipts: [{name, address, text, beside}]}, `beside` being evidence that is dropped with the
// receipt, or empty. Prints milliseconds by receipt: `whole`, from the drop to the
// verdict on the page, and `engine`, a request to a Worker that is warm, offline.

import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const [kind, program] = process.argv.slice(2);
const desk = readFileSync(fileURLToPath(new URL("verify-desk.js", import.meta.url)), "utf8");
const { rounds, receipts } = JSON.parse(await text(process.stdin));
const args = kind === "chrome" ? ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"] : [];
const browser = await puppeteer.launch({ browser: kind, executablePath: program, headless: true, args });

async function whole(receipt, beside) {
  const start = performance.now();
  const files = [{ name: "receipt.json", parts: [[receipt, 1]] }, { name: "evidence", parts: [[beside, 1]] }];
  globalThis.desk.give("drop", beside === "" ? files.slice(0, 1) : files);
  const { verdict } = await globalThis.desk.shown(60_000);
  return { verdict, took: performance.now() - start };
}

async function engine(receipt, beside, times) {
  const script = [...document.scripts].find((one) => one.id === "").textContent;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const trust = JSON.parse(document.getElementById("trust").text);
  const request = { bytes: new TextEncoder().encode(receipt), trust, base: null, proof: null, key: null, seen: null, given: [new TextEncoder().encode(beside)] };
  const took = [];
  for (let round = 0; round <= times; round += 1) {
    const start = performance.now();
    await new Promise((done) => {
      worker.onmessage = done;
      worker.postMessage({ kind: "receipt", request });
    });
    took.push(performance.now() - start);
  }
  worker.terminate();
  return took.slice(1); // the first one warms it
}

try {
  const found = {};
  for (const { name, address, text: receipt, beside } of receipts) {
    const times = [];
    let verdict = "";
    for (let round = 0; round < rounds; round += 1) {
      const context = await browser.createBrowserContext(); // nothing is remembered from round to round
      const page = await context.newPage();
      await page.evaluateOnNewDocument(desk);
      await page.goto(address, { waitUntil: "load" });
      const once = await page.evaluate(whole, receipt, beside);
      verdict = once.verdict;
      times.push(once.took);
      if (round === rounds - 1) found[name] = { verdict, whole: times, engine: await page.evaluate(engine, receipt, beside, rounds) };
      await context.close();
    }
  }
  console.log(JSON.stringify({ version: await browser.version(), found }));
} finally {
  await browser.close();
}
