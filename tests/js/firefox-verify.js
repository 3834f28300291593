// Verification as a visitor with Firefox meets it, driven over WebDriver BiDi; run by
// tests/browser/test_verify_firefox.py, which sends the plan as JSON on standard input and judges what comes back:
//   node firefox-verify.js <firefox>
// A plan is a list of visits: {name, address, before, steps}, each step [what to do, ...with what].

import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { until } from "./until.js";

const PATIENCE = 60_000;
const desk = readFileSync(fileURLToPath(new URL("verify-desk.js", import.meta.url)), "utf8");
const { visits, proxy } = JSON.parse(await text(process.stdin));
const [host, port] = proxy;

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath: process.argv[2],
  headless: true,
  extraPrefsFirefox: {
    "layout.css.prefers-color-scheme.content-override": 1, // light
    "network.proxy.type": 1,
    "network.proxy.http": host, "network.proxy.http_port": port,
    "network.proxy.ssl": host, "network.proxy.ssl_port": port,
    "network.proxy.no_proxies_on": "127.0.0.1",
  },
});

const shown = (page) => page.evaluate((patience) => globalThis.desk.shown(patience), PATIENCE);

const acts = {
  drop: async (page, things) => {
    await page.evaluate((given) => globalThis.desk.give("drop", given), things);
    return shown(page);
  },
  type: async (page, words) => {
    await page.evaluate((given) => globalThis.desk.give("type", [{ text: given }]), words);
    return shown(page);
  },
  shown,
  judge: (page, files) => page.evaluate((given) => globalThis.desk.rescore(given), files),
  stored: (page) => page.evaluate(() => ({ ...localStorage })),
  globals: (page) => page.evaluate(() => Object.getOwnPropertyNames(window).sort()),
  styled: (page, selector) => until(page, (place) => document.querySelector(place) !== null, PATIENCE, selector).then(() => null),
  click: async (page, selector) => {
    await until(page, (place) => document.querySelector(place) !== null, PATIENCE, selector);
    await page.click(selector);
    return shown(page);
  },
  // The page answers while a Worker is busy: a click on a summary opens it before the verdict is there or after, at once.
  busy: async (page, parts) => {
    await page.evaluate((given) => globalThis.desk.give("drop", [{ name: "r.json", parts: given }]), parts);
    await page.evaluate(() => document.querySelector(".more summary").click());
    const open = await page.$eval(".more details", (details) => details.open);
    return { open, ...(await shown(page)) };
  },
  text: (page, selector, wanted) => until(
    page,
    (place, words) => {
      const found = [...document.querySelectorAll(place)].map((one) => one.textContent).join("\n");
      return found.includes(words) && found;
    }, PATIENCE, selector, wanted),
};

/** One page from its opening to its end, and all that went wrong in it. */
async function made({ name, address, before, steps }) {
  const context = await browser.createBrowserContext(); // a visitor of their own: nothing remembered
  const page = await context.newPage();
  const trouble = [];
  const requests = [];
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.push(`exception: ${error.message}`));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.evaluateOnNewDocument(desk);
  if (before) await page.evaluateOnNewDocument(before);
  const results = [];
  try {
    await page.goto(address, { waitUntil: "load" });
    for (const [act, ...what] of steps) results.push(await acts[act](page, ...what));
    for (const one of await page.evaluate(() => globalThis.desk.violations)) trouble.push(`policy: ${one}`);
  } catch (error) {
    throw new Error(`${name}, step ${results.length + 1}: ${error.message}; ${trouble.join("; ")}`);
  } finally {
    await context.close();
  }
  return { results, trouble, requests };
}

try {
  const found = {};
  for (const visit of visits) found[visit.name] = await made(visit);
  console.log(JSON.stringify({ version: await browser.version(), visits: found }));
} finally {
  await browser.close();
}
