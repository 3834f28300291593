// probe.js in a browser, driven over WebDriver BiDi or CDP; lines as in probe-node.js.
//   node probe-browser.js chrome|firefox <program> <address of the repository's root> [bundled]

import { createInterface } from "node:readline";
import puppeteer from "puppeteer-core";

const [kind, program, address, variant = "native"] = process.argv.slice(2);
const chromium = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
const browser = await puppeteer.launch({
  browser: kind,
  executablePath: program,
  headless: true,
  args: kind === "chrome" ? chromium : [],
  protocolTimeout: 600_000, // a large batch is one call; the caller has a limit of its own
});
try {
  const page = await browser.newPage();
  await page.goto(address);
  await page.evaluate((script) => new Promise((ready, failed) => {
    const worker = new Worker(script, { type: "module" });
    worker.onerror = ({ message, filename, lineno }) => {
      failed(new Error(`the Worker failed: ${message} ${filename} ${lineno}`));
    };
    worker.onmessage = ready;
    window.ask = (line) => new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(`the Worker failed: ${message}`));
      worker.postMessage(line);
    });
  }).then(() => null), `/tests/js/probe-worker.js${variant === "bundled" ? "?bundled" : ""}`);
  console.log(JSON.stringify({ version: await browser.version() }));
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(await page.evaluate((text) => window.ask(text), line));
  }
} finally {
  await browser.close();
}
