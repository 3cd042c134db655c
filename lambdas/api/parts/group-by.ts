import * as z from 'zod';
import { activitySplits, splitTags, type ActivitySplit } from '../../accounting/activity.ts';
import { tagNameRule } from '../../management/rules.ts';
import { obeys } from '../../platform/text-rule.ts';

function isSplit(name: string): name is ActivitySplit {
  const [tag] = splitTags([name]);
  return tag === undefined ? (activitySplits as readonly string[]).includes(name) : obeys(tagNameRule, tag);
}

/** Names of splits, separated by commas. Duplicates are removed. */
export const groupBy = z
  .string()
  .refine((text) => text.split(',').every(isSplit), {
    error: `must be a comma-separated list of ${activitySplits.join(', ')} and tag:<name>`,
  })
  .transform((text): readonly ActivitySplit[] => [...new Set(text.split(',').filter(isSplit))]);
