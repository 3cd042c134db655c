import { optional, plain, type Field } from '../table/record.ts';

/** Tags of a request, by name, for example `{project: 'lake'}`. They include the tags of its key. */
export type RequestTags = Readonly<Record<string, string>>;

/** Field with the tags that a request had when it was admitted; undefined without tags, and in older records. */
export const requestTagsField: Field<RequestTags | undefined> = optional(plain<RequestTags>('tags'));
