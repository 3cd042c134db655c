import * as z from 'zod';
import { activitySplits, type ActivitySplit } from '../../accounting/activity.ts';

/** Names with commas, each once. */
export const groupBy = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(
    z.array(
      z.enum(activitySplits, { error: `must be some of ${activitySplits.join(', ')}, with commas between them` }),
    ),
  ) as unknown as z.ZodType<readonly ActivitySplit[]>;
