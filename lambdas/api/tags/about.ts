import { ok, tagged } from '../../http/about.ts';
import { budgetExample } from '../parts/about.ts';
import { tagBudgetsAnswer, tagSettingsAnswer } from './shape.ts';

const { interval, limit_rub, spend_rub, remaining_rub, resets_at, created_at, updated_at } = budgetExample;
const settingsExample = { data: { reported: ['project', 'team'] } };
const example = {
  data: [
    {
      name: 'project',
      value: 'lake',
      interval,
      limit_rub,
      spend_rub,
      remaining_rub,
      resets_at,
      created_at,
      updated_at,
    },
  ],
};

export const tags = tagged('Tags', {
  'get-tags': {
    summary: 'Read the reported tags',
    success: ok('The tags that the account reports.', tagSettingsAnswer, settingsExample),
    etag: true,
  },
  'set-tags': {
    summary: 'Set the reported tags',
    description:
      'Chooses the tags by which `GET /activity` and `GET /statements/{month}` can split spending. A key’s first 100 combinations of values in an eighth of a day have rows of their own; further combinations are counted under the value `~other`. Days that were added up before keep their rows.',
    bodyExample: settingsExample.data,
    success: ok('The tags that the account reports now.', tagSettingsAnswer, settingsExample),
    ifMatch: true,
    etag: true,
  },
  'list-tag-budgets': {
    summary: 'List the budgets of tags',
    description: 'Returns the budgets of all tags of the account.',
    success: ok('The budgets, by name and value of the tag, and from daily to lifetime.', tagBudgetsAnswer, example),
    etag: true,
  },
  'set-tag-budget': {
    summary: 'Set or remove a budget of a tag',
    description:
      'Limits the spending of all requests of the account that have this tag. A longer period must have a higher limit than a shorter one. Requests are counted from the first budget of the tag on; it applies within three seconds, and a changed limit from the next request on. If a tag loses its last budget, its requests are not counted until it has a budget again.',
    bodyExample: { name: 'project', value: 'lake', interval: 'monthly', limit_rub: 30000 },
    success: ok('The budgets of the tag; an empty list if it has none.', tagBudgetsAnswer, example),
    ifMatch: true,
    etag: true,
  },
});
