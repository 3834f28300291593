// When two texts pass for one, a note says nothing and a day is in no calendar: as benchsite/tracks/rubric/likeness.py
// has it. JavaScript has no case folding; lower, upper and again lower case join whatever folding joins.

/** @type {Readonly<Record<number, number>>} */
const DAYS = { 4: 30, 6: 30, 9: 30, 11: 30 };

/** Default_Ignorable_Code_Point of Unicode 16, but for the byte order mark, and the blank of braille: they are not drawn. */
const UNSEEN = /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * Equal for texts that a reader would take for one.
 * @param {string} text
 */
export function alike(text) {
  return text.replace(UNSEEN, "").normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").trim()
    .replace(/\s+/gu, " ");
}

/**
 * Whether there is nothing to see.
 * @param {string} text
 */
export function isBlank(text) {
  return text.replace(UNSEEN, "").trim() === "";
}

/**
 * Whether a text of the shape 2026-02-28 names a day that there is.
 * @param {string} date
 */
export function inCalendar(date) {
  const [year, month, day] = [Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8))];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= (month === 2 ? (leap ? 29 : 28) : DAYS[month] ?? 31);
}
