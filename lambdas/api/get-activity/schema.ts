import { z } from 'zod';
import { someId } from '../shared/path-params.ts';

export const request = {
  query: z.strictObject({
    date: z.iso
      .date({ error: 'must be a UTC date such as 2026-11-19' })
      .optional()
      .meta({ description: 'One of the last 30 completed UTC days; all of them without it.', example: '2026-11-19' }),
    api_key_hash: someId.optional().meta({ description: 'Only requests of this key.' }),
    user_id: someId.optional().meta({ description: 'Only requests of this member.' }),
    group_by: z
      .enum(['workspace'], { error: 'must be "workspace", or left out' })
      .optional()
      .meta({ description: 'Splits rows by workspace and adds `workspace_id`.' }),
    workspace_id: someId.optional().meta({ description: 'Only requests of this workspace, by id or slug.' }),
  }),
};
