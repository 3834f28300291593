// Sentences that Python says too, with their names in braces filled in, as benchsite.words.filled does.

/** @typedef {import("./types.js").Violation} Violation */
/** @typedef {Readonly<Record<string, string | number>>} Values */

/**
 * @param {string} text
 * @param {Values} values
 */
export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key];
    if (value === undefined) throw new Error(`sentence '${text}' needs ${key}`);
    return String(value);
  });
}

/**
 * The violation that a track's messages have by a name: its code, and after a slash which message of that code.
 * @template {string} Name
 * @param {Readonly<Record<Name, string>>} messages
 * @param {Name} name
 * @param {string} field
 * @param {Values} [values]
 * @returns {Violation}
 */
export function violation(messages, name, field, values = {}) {
  const [code = ""] = name.split("/", 1);
  return { code, field, message: filled(messages[name], values) };
}
