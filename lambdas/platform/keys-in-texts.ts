/** Matches a key of this gateway in a text; the groups are the parts that its label shows. */
const KEY = /([sm]k-mg-v1-[0-9a-f]{3})[0-9a-f]{58}([0-9a-f]{3})/g;

export function containsKey(text: string): boolean {
  return text.search(KEY) !== -1;
}

/** Masks keys of this gateway in a text: sk-mg-v1-abc…xyz. */
export function withMaskedKeys(text: string): string {
  return text.replaceAll(KEY, '$1…$2');
}
