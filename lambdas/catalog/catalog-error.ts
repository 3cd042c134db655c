/** Thrown if a catalog is invalid. The message usually names the file and the field. */
export class CatalogError extends Error {
  override name = 'CatalogError';
}
