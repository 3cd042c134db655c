import { readSpendingByModel } from '../../accounting/model-spending.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import type { ModelSpendingAnswer } from './shape.ts';

/** Returns the cost of each model in the current day, week and month, from settled requests. */
export const handler = defineEndpoint('get-model-spending', {}, async ({ caller: { account } }) => {
  const { models, countedFrom } = await readSpendingByModel(resources.table(), account.id, nowMs());
  return jsonResponse<ModelSpendingAnswer>(200, {
    data: models.map(({ model, daily, weekly, monthly }) => ({
      model,
      usage_daily: daily,
      usage_weekly: weekly,
      usage_monthly: monthly,
    })),
    counted_from: countedFrom ?? null,
  });
});
