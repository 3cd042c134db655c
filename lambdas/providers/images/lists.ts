export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list, which providers use for images in base64. */
export function textsIn(value: unknown): string[] {
  return listOrEmpty(value).filter((one) => typeof one === 'string' && one !== '') as string[];
}
