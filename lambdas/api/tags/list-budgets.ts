import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { resources } from '../../resources.ts';
import { readTagSettings } from '../../store/accounts/account-tags.ts';
import { tagBudgetViews } from './budget-views.ts';
import type { TagBudgetsAnswer } from './shape.ts';

export const handler = defineEndpoint('list-tag-budgets', {}, async ({ caller }) => {
  const table = resources.table();
  const settings = await readTagSettings(table, caller.account.id);
  return jsonResponse<TagBudgetsAnswer>(200, { data: await tagBudgetViews(table, settings) }, etag(settings.version));
});
