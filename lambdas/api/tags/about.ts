import { ok, tagged } from '../../http/about.ts';
import { budgetExample } from '../parts/about.ts';
import { tagBudgetsAnswer } from './shape.ts';

const { interval, limit_rub, spend_rub, remaining_rub, resets_at, created_at, updated_at } = budgetExample;
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
  'list-tag-budgets': {
    summary: 'List the budgets of tags',
    description: 'Returns the budgets of all tags of the account.',
    success: ok('The budgets, by name and value of the tag, and from daily to lifetime.', tagBudgetsAnswer, example),
    etag: true,
  },
  'set-tag-budget': {
    summary: 'Set or remove a budget of a tag',
    description:
      'Limits the spending of all requests of the account that have this tag. A longer period cannot have a lower limit than a shorter one. Requests are counted from the first budget of the tag on; it applies within three seconds, and a changed limit from the next request on. If a tag loses its last budget, its requests are not counted until it has a budget again.',
    bodyExample: { name: 'project', value: 'lake', interval: 'monthly', limit_rub: 30000 },
    success: ok('The budgets of the tag; an empty list if it has none.', tagBudgetsAnswer, example),
    ifMatch: true,
    etag: true,
  },
});
