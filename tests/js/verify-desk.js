// What tests do to a page of verification from inside, in any browser: hand it files as a visitor would, read what it
// shows, and ask its own engine. A classic script; drivers inject it into every page.

globalThis.desk = (() => {
  /** @param {string} base64 */
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

  /** Files as a hand carries them: `data` in base64, or `parts`, texts each with how often it stands there. */
  function carried(things) {
    const transfer = new DataTransfer();
    for (const { name, data, parts } of things) {
      const content = parts ? parts.map(([text, times]) => text.repeat(times)) : [bytesOf(data)];
      transfer.items.add(new File(content, name));
    }
    return transfer;
  }

  /** Marks what is shown, so that `done` waits for what comes next. */
  function forget() {
    for (const old of document.querySelectorAll(".result")) old.setAttribute("data-old", "");
  }

  const fresh = () => document.querySelector(".result:not([data-old]):not(.log)");

  const ways = {
    drop(things) {
      const event = new DragEvent("drop", { dataTransfer: carried(things), bubbles: true, cancelable: true });
      document.getElementById("drop").dispatchEvent(event);
    },
    type(things) {
      const place = document.getElementById("pasted");
      place.value = things[0].text;
      place.dispatchEvent(new InputEvent("input", { bubbles: true }));
    },
  };

  function give(way, things) {
    forget();
    ways[way](things);
  }

  const text = (place) => (place?.textContent ?? "").trim();
  const texts = (place, selector) => [...place.querySelectorAll(selector)].map(text);

  /** What the next result says, once it is there. */
  function shown(patience) {
    return new Promise((done, failed) => {
      const observer = new MutationObserver(look);
      const timer = setTimeout(() => {
        observer.disconnect();
        failed(new Error(`no result within ${patience} ms; the page says: ${text(document.getElementById("status"))}`));
      }, patience);
      function look() {
        const result = fresh();
        if (!result) return;
        clearTimeout(timer);
        observer.disconnect();
        done(read(result));
      }
      observer.observe(document, { childList: true, subtree: true }); // a page just opened has no body yet
      look();
    });
  }

  function read(result) {
    return {
      verdict: text(result.querySelector(".verdict")),
      parts: texts(result, ".parts li"),
      plainly: text(result.querySelector(".plainly")),
      notices: texts(result, ".notice"),
      rows: Object.fromEntries([...result.querySelectorAll(".steps > li")].map((row) => [
        text(row.querySelector(".number")), { state: text(row.lastElementChild), said: text(row.querySelector(".said")) },
      ])),
      differences: [...result.querySelectorAll(".scroll tbody tr")].map((row) => texts(row, "td")),
      buttons: texts(result, ".tools button"),
      whole: result.textContent,
      html: result.innerHTML,
    };
  }

  /** The page's own engine, in a Worker as the page starts it: a Report for every request, one after another. */
  async function rescore(requests) {
    const engine = [...document.scripts].find((script) => script.id === "").textContent;
    const worker = new Worker(URL.createObjectURL(new Blob([engine], { type: "text/javascript" })));
    const trust = JSON.parse(document.getElementById("trust").text);
    const answers = [];
    for (const data of requests) {
      const request = { bytes: bytesOf(data), trust, base: null, proof: null, key: null, seen: null };
      answers.push(await new Promise((done, failed) => {
        worker.onmessage = ({ data }) => { if (!("partial" in data)) done(data); };
        worker.onerror = (event) => failed(new Error(event.message));
        worker.postMessage({ kind: "receipt", request });
      }));
    }
    worker.terminate();
    return answers.map(({ report, bug }) => (report
      ? { verdict: report.verdict, failed: report.steps.find(({ state }) => state === "fail") ?? null }
      : { verdict: "BUG", failed: { detail: bug } }));
  }

  const violations = [];
  document.addEventListener("securitypolicyviolation", (event) => {
    violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
  });
  return { give, forget, shown, rescore, violations };
})();
