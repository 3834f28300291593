// The one error of a document that breaks its schema.

/** A value that is not what its schema says; `field` is its path, for example `perQuery[3].rank`. */
export class Fault extends Error {
  /**
   * @param {string} message
   * @param {string} [field]
   */
  constructor(message, field = "") {
    super(message);
    this.name = "Fault";
    this.field = field;
  }
}
