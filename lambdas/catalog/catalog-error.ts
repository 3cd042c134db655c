/** The catalog's files cannot be used; the message names the file and the field. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}
