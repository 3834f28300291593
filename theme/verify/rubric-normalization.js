// When two texts count as equal, and which dates are valid: as benchsite/tracks/rubric/normalization.py has it. JavaScript has no case folding; lower, upper and again lower case join whatever folding joins.

import { withoutInvisible } from "./unseen.js";

/** @type {Readonly<Record<number, number>>} */
const DAYS = { 4: 30, 6: 30, 9: 30, 11: 30 };

/**
 * Equal for texts that a reader takes for the same.
 * @param {string} text
 */
export function normalized(text) {
  return withoutInvisible(text).normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").trim()
    .replace(/\s+/gu, " ");
}

/**
 * Whether a text of the shape 2026-02-28 is a valid date.
 * @param {string} date
 */
export function isValidDate(date) {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8))];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 ? (leap ? 29 : 28) : DAYS[month] ?? 31);
}
