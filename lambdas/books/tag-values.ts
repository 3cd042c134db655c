import { tagValue, type RequestTags } from '../store/generations/request-tags.ts';

/**
 * Returns the value that reports show for a tag of a request: the recorded value, else the current value of the key's
 * tag, else an empty text.
 */
export function valueInReport(name: string, recorded: RequestTags | undefined, ofKey: RequestTags): string {
  return tagValue(recorded, name) ?? tagValue(ofKey, name) ?? '';
}

/** Characters that this format or other tools take for separators. */
const separators = /[%&+,;"\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Returns tags as one cell of a CSV file: the query of a URL, sorted by name, for example `project=lake&team=core`. */
export function tagsCell(tags: RequestTags | undefined): string | null {
  const entries = Object.entries(tags ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return null;
  return entries.map(([name, value]) => `${name}=${value.replaceAll(separators, encodeURIComponent)}`).join('&');
}
