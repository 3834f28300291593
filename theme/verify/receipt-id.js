// A receipt's id, and where its file stands: in the repository and below a site's root alike.

/** A UUID of version 4, as schemas and addresses write it. */
export const UUID4_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

/**
 * @param {string} id of the form above
 */
export function publishedPath(id) {
  return `results/published/${id.slice(0, 2)}/${id}.json`;
}
