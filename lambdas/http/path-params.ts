import * as z from 'zod';
import { intervals } from '../money/periods.ts';

/** Schema of an id. It refuses only ids that cannot be looked up; an id that does not exist gets a 404 later. */
export const someId = z
  .string()
  .max(200, 'must have at most 200 characters')
  .regex(/^\P{Cs}*$/u, 'must be well-formed Unicode');

export const keyHash = someId.meta({ description: 'The `hash` of a key.', example: '5ff7'.repeat(16) });
export const workspaceId = someId.meta({
  description: 'The id of a workspace, or its slug.',
  example: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
});
export const memberId = someId.meta({ description: 'The id of a member of the workspace.', example: 'ann' });
export const interval = z
  .enum(intervals, { error: `must be one of ${intervals.join(', ')}` })
  .meta({ description: 'The period of a budget, in UTC; weeks start on Monday.', example: 'monthly' });
