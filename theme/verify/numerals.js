// Numbers as Python writes them in the sentences that both languages share. JavaScript rounds ties up and begins
// exponents at other magnitudes; Python rounds ties to even.

const EXACT_DIGITS = 100;

/**
 * Three decimals, unless they would hide that a number is not quite 0 or 1; then up to 15 digits.
 * @param {number} value
 * @returns {string}
 */
export function shown(value) {
  const short = threeDecimals(value);
  return Number(short) === 0 || Number(short) === 1 ? fifteenDigits(value) : short;
}

/** @param {number} value */
function threeDecimals(value) {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}.000`;
  // Half-way lies m/2,000 with an odd m; it is a double only where 125 divides m: an odd number of sixteenths.
  const isTie = Math.abs(value * 16) % 2 === 1;
  const text = value.toFixed(3);
  return isTie ? toEven(text) : text;
}

/** @param {number} value */
function fifteenDigits(value) {
  const text = value.toExponential(14);
  const [digits = "", exponent = ""] = text.split("e");
  const exact = value.toExponential(EXACT_DIGITS).split("e")[0] ?? "";
  const isTie = /^-?[0-9]\.[0-9]{14}50*$/.test(exact);
  return laidOut(`${isTie ? toEven(digits) : digits}e${exponent}`, 15);
}

/**
 * The even neighbour of a tie that was rounded away from zero.
 * @param {string} digits
 */
function toEven(digits) {
  const last = Number(digits.slice(-1));
  return last % 2 === 1 ? digits.slice(0, -1) + (last - 1) : digits;
}

/**
 * A number in exponential notation as Python lays it out, without trailing zeros.
 * @param {string} exponential
 * @param {number} precision the exponent from which on an exponent is written
 */
function laidOut(exponential, precision) {
  const [, sign = "", whole = "", decimals = "", power = ""] = /^(-?)([0-9])\.?([0-9]*)e(.+)$/.exec(exponential) ?? [];
  const digits = (whole + decimals).replace(/0+$/, "") || "0";
  const exponent = Number(power);
  if (exponent < -4 || exponent >= precision) {
    const mantissa = digits.length > 1 ? `${digits.slice(0, 1)}.${digits.slice(1)}` : digits;
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 1, "0");
  const fraction = padded.slice(exponent + 1);
  return sign + padded.slice(0, exponent + 1) + (fraction && `.${fraction}`);
}

/**
 * A number as Python's `repr` writes it: the shortest digits that are read back as the same double.
 * @param {number} value
 * @returns {string}
 */
export function repr(value) {
  return Number.isSafeInteger(value) ? String(value) : laidOut(value.toExponential(), 16);
}
