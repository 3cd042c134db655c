import { z } from 'zod';
import { intervals } from '../../money/periods.ts';

/** Parts of paths. What cannot be an id of anything is simply not found, so ids are not judged here. */
export const keyHash = z.string().meta({ description: 'The `hash` of a key.', example: '5ff7'.repeat(16) });
export const workspaceId = z
  .string()
  .meta({ description: 'The id of a workspace, or its slug.', example: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d' });
export const memberId = z.string().meta({ description: 'The id of a member of the workspace.', example: 'ann' });
export const interval = z
  .enum(intervals, { error: `must be one of ${intervals.join(', ')}` })
  .meta({ description: 'The period of a budget, in UTC; weeks start on Monday.', example: 'monthly' });
