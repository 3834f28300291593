// The evaluator form as a visitor with Firefox meets it, driven over WebDriver BiDi; run by
// tests/browser/test_evaluate.py, which sends {address, folder, answers} as JSON on standard input:
//   node firefox-evaluate.js <firefox>
// Fills the form by keyboard alone, saves the sheet into the folder, reloads, deletes and imports; prints what it saw.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import puppeteer from "puppeteer-core";
import { until } from "./until.js";

const { address, folder, answers } = JSON.parse(await text(process.stdin));
const NAME = "zoë-s-agent-customer-service-1.3.0-bo-s1-p1.yaml";
const trouble = [];
const requests = [];

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: process.argv[2],
  headless: true,
  extraPrefsFirefox: {
    "layout.css.prefers-color-scheme.content-override": 1, // light
    "browser.download.folderList": 2,
    "browser.download.dir": folder,
    "browser.download.useDownloadDir": true,
    "browser.download.always_ask_before_handling_new_types": false,
    "browser.helperApps.neverAsk.saveToDisk": "application/yaml",
  },
});

const page = await browser.newPage();
page.on("console", (message) => {
  if (message.type() === "error") trouble.push(`console: ${message.text()}`);
});
page.on("pageerror", (error) => trouble.push(`exception: ${error.message}`));
page.on("request", (request) => requests.push(request.url()));

const ready = (words) => until(page, (wanted) =>
  document.querySelector(".sofar:not([hidden])") !== null && document.body.textContent.includes(wanted), 10_000, words);

const figures = () => page.$$eval("#result [data-figure]", (all) =>
  Object.fromEntries(all.map((one) => [one.dataset.figure, one.textContent])));

/** What is in focus, as a person without a mouse would find it. */
const focused = () => page.evaluate(() => {
  const { name = "", type = "", dataset, form } = document.activeElement;
  const values = name ? [...form.elements].filter((one) => one.name === name).map((one) => one.value) : [];
  return { name, type, act: dataset.act ?? "", values };
});

async function answer({ type, values }, given) {
  if (type === "checkbox") return page.keyboard.press(" ");
  if (type === "radio") {
    await page.keyboard.press(" ");
    for (let step = values.indexOf(given); step > 0; step -= 1) await page.keyboard.press("ArrowDown");
    return undefined;
  }
  for (const [place, line] of given.split("\n").entries()) {
    if (place > 0) await page.keyboard.press("Enter");
    await page.keyboard.type(line);
  }
  return undefined;
}

async function fill() {
  const left = new Map(Object.entries(answers));
  for (let step = 0; step < 400; step += 1) {
    await page.keyboard.press("Tab");
    const found = await focused();
    if (found.act === "sheet") break;
    if (left.has(found.name)) await answer(found, left.get(found.name));
    left.delete(found.name);
  }
  assert.deepEqual([...left.keys()], []);
}

const press = (act) => page.$eval(`[data-act=${act}]`, (button) => button.click());

const seen = { version: await browser.version(), trouble, requests };
await page.goto(address, { waitUntil: "load" });
await ready("");
await fill();
seen.typed = await figures();
await page.keyboard.press("Enter");
const file = join(folder, NAME);
for (let step = 0; step < 200 && !(existsSync(file) && !existsSync(`${file}.part`)); step += 1) await wait(50);
assert.ok(existsSync(file), await page.$eval("[data-say=handed]", (one) => one.textContent));

await page.reload({ waitUntil: "load" });
await ready("Next sheet of the same session");
await press("undo"); // which opens the sheet that was saved
seen.reloaded = await figures();
await press("delete");
seen.deleted = await figures();
const input = await page.$("input[type=file]");
await input.uploadFile(file);
await ready("Imported.");
seen.imported = await figures();
await browser.close();
process.stdout.write(JSON.stringify(seen));
