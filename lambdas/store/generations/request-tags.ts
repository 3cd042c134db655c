import { optional, plain, type Field } from '../table/record.ts';

/** Tags of a request by name, for example `{project: 'lake'}`. They include the tags of the key. */
export type RequestTags = Readonly<Record<string, string>>;

/** Tags of a request; undefined without tags, and in older records. */
export const requestTagsField: Field<RequestTags | undefined> = optional(plain<RequestTags>('tags'));

/** Sorts tags by name, because the table returns the entries of a map in any order. */
export function sortedTags(tags: RequestTags): RequestTags {
  return Object.fromEntries(Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns tags as JSON, sorted by name. */
export function tagsJson(tags: RequestTags): string {
  return JSON.stringify(sortedTags(tags));
}

export function tagValue(tags: RequestTags | undefined, name: string): string | undefined {
  return tags !== undefined && Object.hasOwn(tags, name) ? tags[name] : undefined;
}
