// Waits in Firefox by asking again: puppeteer's own waitForFunction compiles its condition inside the page, which the
// page's policy forbids from Firefox 140.12 on.

import { setTimeout as pause } from "node:timers/promises";

/** What a condition gives in a page as soon as it is not false; a page that is being loaded is asked again. */
export async function until(page, condition, timeout, ...given) {
  const last = Date.now() + timeout;
  for (;;) {
    const found = await page.evaluate(condition, ...given).catch((error) => {
      if (Date.now() > last) throw error;
      return false;
    });
    if (found) return found;
    if (Date.now() > last) throw new Error(`not within ${timeout} ms: ${condition} ${JSON.stringify(given)}`);
    await pause(50);
  }
}
