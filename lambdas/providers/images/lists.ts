export function listOrEmpty(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the strings of a list that are not empty. Providers use such lists for images in base64. */
export function textsIn(value: unknown): string[] {
  return listOrEmpty(value).filter((one) => typeof one === 'string' && one !== '') as string[];
}
