// What a visitor with Firefox meets, driven over WebDriver BiDi; run by tests/browser/test_firefox.py:
//   node firefox.js <firefox> <base address> <board path> <receipt path> <questions>
// Prints what it has seen as JSON; anything that fails ends it with a message and exit status 1.

import assert from "node:assert/strict";
import puppeteer from "puppeteer-core";
import { until } from "./until.js";

const PATIENCE = 60_000;

const [program, base, board, receipt, questions] = process.argv.slice(2);
const trouble = [];
const requests = [];

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: program,
  headless: true,
  extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": 1 }, // light
});

/** A page that remembers what goes wrong; violations of the policy are events no console shows. */
async function open(path) {
  const page = await browser.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`exception: ${error.message}`));
  page.on("request", (request) => requests.push(request.url()));
  page.on("requestfailed", (request) => trouble.push(`failed: ${request.url()}`));
  page.on("response", (response) => {
    if (response.status() >= 400) trouble.push(`${response.status()}: ${response.url()}`);
  });
  await page.evaluateOnNewDocument(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
    });
  });
  await page.goto(base + path, { waitUntil: "load" });
  return page;
}

async function close(page, path) {
  for (const one of await page.evaluate(() => window.violations)) trouble.push(`policy on /${path}: ${one}`);
  await page.close();
}

/** Tab until the element in focus satisfies `wanted`, as a person without a mouse would. */
async function tabTo(page, wanted, { backwards = false } = {}) {
  for (let step = 0; step < 60; step += 1) {
    if (backwards) await page.keyboard.down("Shift");
    await page.keyboard.press("Tab");
    if (backwards) await page.keyboard.up("Shift");
    if (await page.evaluate(wanted)) return;
  }
  assert.fail(`60 presses of Tab do not reach ${wanted}`);
}

const names = (page) => page.$$eval("table.board tbody tr", (rows) =>
  rows.filter((row) => !row.hidden).map((row) => row.querySelector(".what b").textContent));

const sortedBy = (page) => page.$eval("thead th.what", (heading) => heading.getAttribute("aria-sort"));

async function everyPageOpens() {
  const titles = {};
  for (const path of ["", board, receipt, "methodology/", "methodology/retrieval/1.0.0/", "receipts/"]) {
    const page = await open(path);
    await until(page, () => document.querySelector("#head a") !== null, PATIENCE); // the log's head: the last thing a page asks for
    titles[path] = await page.$eval("h1", (heading) => heading.textContent);
    await close(page, path);
  }
  return titles;
}

async function theBoardByKeyboard() {
  const page = await open(board);
  await until(page, () => document.querySelector("thead th.what button") !== null, PATIENCE);
  const served = await names(page);
  await tabTo(page, () => document.activeElement.closest("th.what") !== null);
  await page.keyboard.press("Enter");
  assert.equal(await sortedBy(page), "ascending");
  assert.deepEqual(await names(page), [...served].sort());
  await page.keyboard.press(" ");
  assert.equal(await sortedBy(page), "descending");
  assert.deepEqual(await names(page), [...served].sort().reverse());
  await tabTo(page, () => document.activeElement.matches("input[type=search]"), { backwards: true });
  await page.keyboard.type("bm25");
  assert.deepEqual(await names(page), ["BM25 baseline"]);
  assert.equal(await page.$eval("[aria-live]", (said) => said.textContent), `1 of ${served.length} rows shown`);
  assert.match(await page.evaluate(() => location.href), /[?&]q=bm25/);
  await close(page, board);
}

async function allQuestionsOfAReceipt() {
  const page = await open(receipt);
  await tabTo(page, () => document.activeElement.textContent.startsWith("Show all "));
  await page.keyboard.press("Enter");
  await until(page, (total) => document.body.textContent.includes(`1 to 100 of ${total} queries`), PATIENCE, questions);
  assert.equal((await page.$$("table.q tbody tr")).length, 100);
  await close(page, receipt);
}

async function lightAndDark() {
  const page = await open("");
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await tabTo(page, () => document.activeElement.id === "scheme");
  await page.keyboard.press("Enter");
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await paper(), dark);
  await page.click("#scheme");
  assert.equal(await paper(), light);
  await close(page, "");
  return { light, dark };
}

/** The listeners above hear something: a script that the policy forbids, and an exception. */
async function troubleIsHeard() {
  const page = await open("");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    setTimeout(() => { throw new Error("planted"); });
  });
  await until(page, () => window.violations.length > 0, PATIENCE);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  for (let wait = 0; wait < 100 && !trouble.some((one) => one.includes("planted")); wait += 1) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.ok(trouble.some((one) => one.includes("planted")), "an uncaught exception went unheard");
  await page.close();
}

try {
  const titles = await everyPageOpens();
  await theBoardByKeyboard();
  await allQuestionsOfAReceipt();
  const colours = await lightAndDark();
  const seen = [...trouble];
  await troubleIsHeard();
  console.log(JSON.stringify({ version: await browser.version(), titles, colours, requests, trouble: seen }));
} finally {
  await browser.close();
}
