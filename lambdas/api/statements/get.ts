import * as z from 'zod';
import { readMonth } from '../../books/month.ts';
import { Names } from '../../books/names.ts';
import { checkReportedTags } from '../../books/tagged-activity.ts';
import { compressed } from '../../http/compressed.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { groupBy } from '../parts/group-by.ts';
import { checkRowCount } from '../parts/row-limit.ts';
import type { StatementAnswer } from './shape.ts';
import { statementView } from './view.ts';

export const accepts = {
  compress: compressed,
  params: z.object({
    month: z
      .string()
      .regex(/^(20\d{2})-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-10')
      .meta({ description: 'The month, as a year and a month; its days are those of UTC.', example: '2026-10' }),
  }),
  query: z.strictObject({
    group_by: groupBy.optional().meta({
      description:
        'Splits the rows of each model by `workspace`, `key`, `member` or the values of a reported tag (`tag:project`), or by several of them, separated by commas.',
      example: 'key,member',
    }),
  }),
};

/**
 * Returns the statement of an account's month, computed from its daily rows. For a closed month, the answer also has
 * the spending by the account's counter, if the counter still has that month.
 */
export const handler = defineEndpoint('get-statement', accepts, async ({ params, query, caller: { account } }) => {
  const table = resources.table();
  const splitBy = query.group_by ?? [];
  await checkReportedTags({ table, accountId: account.id }, splitBy, 'group_by');
  const names = new Names(table, account.id);
  const month = await readMonth(table, account, { month: params.month, splitBy, names });
  checkRowCount(month.rows.length, { field: 'group_by', says: 'split by less' });
  return jsonResponse<StatementAnswer>(200, { data: await statementView(account, month, { splitBy, names }) });
});
