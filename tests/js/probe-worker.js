// probe.js in a browser's Worker, where the site runs the same modules: a request a message, its answer a message,
// after a first one that says the modules are loaded.

import { answer, withholdEd25519 } from "./probe.js";

if (self.location.search === "?bundled") withholdEd25519();
self.onmessage = async ({ data }) => self.postMessage(JSON.stringify(await answer(JSON.parse(data))));
self.postMessage("ready");
