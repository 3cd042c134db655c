import * as z from 'zod';
import { completedDays, DAYS_SHOWN } from '../../accounting/activity-days.ts';
import { datesBetween } from '../../money/periods.ts';
import { checkReportedTags, readTaggedActivity } from '../../books/tagged-activity.ts';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { findWorkspace } from '../../management/workspaces.ts';
import { nowMs } from '../../platform/clock.ts';
import { invalidRequest, notFound } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { readKey } from '../../store/accounts/keys.ts';
import type { ActivityAnswer } from './shape.ts';
import { groupBy } from '../parts/group-by.ts';
import { checkRowCount } from '../parts/row-limit.ts';
import { activityView } from './view.ts';

/** Maximum number of days in one response, about a quarter of a year. */
const MAX_DAYS = 92;

const day = z.iso.date({ error: 'must be a UTC date such as 2026-11-19' }).optional();

export const accepts = {
  compress: compressed,
  query: z
    .strictObject({
      date: day.meta({
        description:
          'Only this day, which has to be one of the last 30 completed UTC days; without it, all of these are reported.',
        example: '2026-11-19',
      }),
      from: day.meta({
        description: 'The first UTC day of the report; `from` and `to` may name any days.',
        example: '2026-10-01',
      }),
      to: day.meta({ description: 'The last UTC day of the report; without it, yesterday.', example: '2026-10-31' }),
      api_key_hash: someId
        .optional()
        .meta({ description: 'Only requests of the key with this `hash`, even if it was deleted since.' }),
      user_id: someId.optional().meta({ description: 'Only requests of this member.' }),
      group_by: groupBy.optional().meta({
        description:
          'Splits the rows by `workspace`, `key`, `member` or the values of a reported tag (`tag:project`), or by several of them, separated by commas; each row then has their ids and values.',
        example: 'key,member',
      }),
      workspace_id: someId.optional().meta({ description: 'Only requests of this workspace, by id or slug.' }),
    })
    .refine(({ date, from, to }) => date === undefined || (from ?? to) === undefined, {
      path: ['date'],
      error: 'cannot be used together with from or to; send one day, or a first and a last day',
    }),
};

export const handler = defineEndpoint('get-activity', accepts, async ({ query, caller: { account } }) => {
  const table = resources.table();
  const dates = requestedDates(query);
  const workspaceId =
    query.workspace_id === undefined ? undefined : (await findWorkspace(table, account.id, query.workspace_id)).id;
  if (query.api_key_hash !== undefined) await checkKey(query.api_key_hash, account.id);
  await checkReportedTags({ table, accountId: account.id }, query.group_by ?? [], 'group_by');
  const rows = await readTaggedActivity({ table, accountId: account.id }, dates, {
    workspaceId,
    keyHash: query.api_key_hash,
    memberId: query.user_id,
    splitBy: query.group_by,
  });
  checkRowCount(rows.length, {
    field: 'date',
    says: dates.length > 1 ? 'request fewer days at a time' : 'request one workspace, member or key at a time',
  });
  return jsonResponse<ActivityAnswer>(200, { data: rows.map((row) => activityView(row, query.group_by ?? [])) });
});

interface RequestedDays {
  date?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns the requested days.
 * @throws {GatewayError} 400 for days that are not over, in the wrong order or too many, or for a `date` that is too
 *   old
 */
function requestedDates({ date, from, to }: RequestedDays): string[] {
  const lastDays = completedDays(nowMs());
  const yesterday = lastDays.at(-1)!;
  if (date !== undefined) {
    if (lastDays.includes(date)) return [date];
    const allowed = `must be one of the last ${DAYS_SHOWN} completed UTC days, ${lastDays[0]} to ${yesterday}`;
    throw invalidRequest('date', `${allowed}; from and to take any days`);
  }
  if (from === undefined && to === undefined) return lastDays;
  const last = to ?? yesterday;
  if (last > yesterday) throw invalidRequest('to', `must be a completed UTC day, ${yesterday} at the latest`);
  const dates = datesBetween(from ?? last, last);
  if (dates.length === 0) throw invalidRequest('from', `must not be later than the last day, ${last}`);
  if (dates.length > MAX_DAYS) {
    throw invalidRequest(
      'from',
      `must be less than ${MAX_DAYS} days before the last day, ${last}; request shorter periods`,
    );
  }
  return dates;
}

/** Throws a 404 if the key does not belong to the account. The history of a deleted key stays readable. */
async function checkKey(hash: string, accountId: string): Promise<void> {
  const key = await readKey(resources.table(), hash);
  if (key?.accountId !== accountId) {
    throw notFound(`There is no key "${hash.slice(0, 80)}".`, { field: 'api_key_hash' });
  }
}
