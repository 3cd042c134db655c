import * as z from 'zod';
import { activitySplits, type ActivitySplit } from '../../accounting/activity.ts';

const isSplit = (name: string): name is ActivitySplit => (activitySplits as readonly string[]).includes(name);

/** Schema of names separated by commas. Duplicates are removed. */
export const groupBy = z
  .string()
  .refine((text) => text.split(',').every(isSplit), {
    error: `must be a comma-separated list of ${activitySplits.join(', ')}`,
  })
  .transform((text): readonly ActivitySplit[] => [...new Set(text.split(',').filter(isSplit))]);
