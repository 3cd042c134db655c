import * as z from 'zod';
import { obeys } from '../../platform/text-rule.ts';
import { tagNameRule, tagValueRule } from '../../platform/tag-rules.ts';
import type { RequestTags } from '../../store/generations/request-tags.ts';

type WantedTag = readonly [name: string, value: string];

const MAX_WANTED_TAGS = 8;

/** Filter by the query parameter `tag`, which has one value per line (http/request.ts). */
export const tagFilter = z
  .string()
  .transform((lines, context): WantedTag[] => {
    const wanted = lines.split('\n').map(wantedTag);
    if (wanted.length <= MAX_WANTED_TAGS && wanted.every((tag) => tag !== undefined)) return wanted;
    const message = `must be a name and a value, such as project:lake, at most ${MAX_WANTED_TAGS} times`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .optional()
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.type;
      Object.assign(jsonSchema, { type: 'array', items: { type: 'string' }, maxItems: MAX_WANTED_TAGS });
    },
    description:
      'Only requests with this tag, as name and value. Repeat the parameter for several tags: a request must have all of them.',
    example: ['project:lake'],
  });

function wantedTag(text: string): WantedTag | undefined {
  const at = text.indexOf(':');
  const [name, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1).trim()];
  return obeys(tagNameRule, name) && obeys(tagValueRule, value) ? [name, value] : undefined;
}

/** Whether a request has all wanted tags. */
export function hasTags(tags: RequestTags, wanted: readonly WantedTag[] = []): boolean {
  return wanted.every(([name, value]) => Object.hasOwn(tags, name) && tags[name] === value);
}
