import * as z from 'zod';
import { completedDays, DAYS_SHOWN } from '../../accounting/activity-days.ts';
import { readActivity } from '../../accounting/activity.ts';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { nowMs } from '../../platform/clock.ts';
import { invalidRequest, notFound } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { readKey } from '../../store/keys.ts';
import type { ActivityAnswer } from './shape.ts';
import { checkRowCount } from './row-limit.ts';
import { activityView } from './view.ts';

export const accepts = {
  compress: compressed,
  query: z.strictObject({
    date: z.iso.date({ error: 'must be a UTC date such as 2026-11-19' }).optional().meta({
      description: 'Only this day, one of the last 30 completed UTC days; without it, all of them.',
      example: '2026-11-19',
    }),
    api_key_hash: someId.optional().meta({ description: 'Only requests of this key.' }),
    user_id: someId.optional().meta({ description: 'Only requests of this member.' }),
    group_by: z
      .enum(['workspace'], { error: 'must be "workspace", or left out' })
      .optional()
      .meta({ description: 'With `workspace` there is a row for each workspace, with its `workspace_id`.' }),
    workspace_id: someId.optional().meta({ description: 'Only requests of this workspace, by id or slug.' }),
  }),
};

/** Daily rows of completed days; an answer here is never read from generations. */
export const handler = defineEndpoint('get-activity', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const days = completedDays(nowMs());
  if (query.date !== undefined && !days.includes(query.date)) {
    throw invalidRequest(
      'date',
      `must be one of the last ${DAYS_SHOWN} completed UTC days, ${days[0]} to ${days.at(-1)}`,
    );
  }
  const workspaceId =
    query.workspace_id === undefined ? undefined : (await findWorkspace(table, account.id, query.workspace_id)).id;
  if (query.api_key_hash !== undefined) await checkKey(query.api_key_hash, account.id);
  const rows = await readActivity(table, account.id, query.date === undefined ? days : [query.date], {
    workspaceId,
    keyHash: query.api_key_hash,
    memberId: query.user_id,
    splitBy: query.group_by,
  });
  checkRowCount(rows.length, query.date);
  return jsonResponse<ActivityAnswer>(200, { data: rows.map(activityView) });
});

/** The history of a deleted key can still be read. */
async function checkKey(hash: string, accountId: string): Promise<void> {
  const key = await readKey(resources.table(), hash);
  if (key?.accountId !== accountId) {
    throw notFound(`There is no key "${hash.slice(0, 80)}".`, { field: 'api_key_hash' });
  }
}
