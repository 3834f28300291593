// What the verify page shows of its site around the verification, as on the other pages: banner, header and footer.

import { element } from "./element.js";

/** @typedef {import("./types.js").Trust} Trust */

/**
 * The element of that id in the skeleton, of which this module and page.js are the other half.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {{new (): Kind}} kind
 * @returns {Kind}
 */
export function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`verify.html lacks #${id}`);
  return found;
}

/**
 * Other pages of the site are linked only where they can be reached: on the site, not in a copy opened from a folder.
 * @param {Trust} trust
 * @param {boolean} online
 */
export function showFrame(trust, online) {
  showBanner(trust.banner ?? "");
  showHeader(trust, online);
  showFooter(trust, online);
}

/**
 * @param {Trust} trust
 * @param {boolean} online
 */
function showHeader(trust, online) {
  const brand = element(online ? "a" : "span", "", element("bdi", "", trust.site));
  if (online) brand.setAttribute("href", "./");
  part("brand", HTMLElement).replaceChildren(brand);
  const nav = part("site", HTMLElement);
  nav.hidden = !online;
  nav.replaceChildren(...(online ? trust.nav ?? [["Verify", "verify.html"]] : []).map(([title, path]) => {
    const isThis = path === "verify.html";
    const item = element(isThis ? "span" : "a", "", title);
    if (isThis) item.setAttribute("aria-current", "page");
    else item.setAttribute("href", address(path));
    return item;
  }));
}

/**
 * @param {Trust} trust
 * @param {boolean} online
 */
function showFooter(trust, online) {
  const line = part("foot", HTMLElement);
  line.replaceChildren(element("bdi", "", trust.site));
  for (const [title, path] of online ? trust.links ?? [] : []) {
    const link = element("a", "", title);
    link.setAttribute("href", address(path));
    line.append(" · ", link);
  }
  if (trust.version) line.append(` · made with benchsite ${trust.version}`);
}

/**
 * A web address as it is; every other path is below the site's root.
 * @param {string} path
 */
function address(path) {
  return /^https?:\/\//.test(path) ? path : `./${path}`;
}

/** @param {string} words of the site, as on its other pages */
function showBanner(words) {
  const place = part("banner", HTMLElement);
  const sign = element("span", "", "△");
  sign.setAttribute("aria-hidden", "true");
  place.hidden = words === "";
  if (words !== "") place.replaceChildren(sign, element("span", "", ` ${words}`));
}
