import { ok, tagged } from '../../http/about.ts';
import { deletedAnswer } from '../../http/shapes.ts';
import { budgetExample } from '../parts/about.ts';
import { budgetAnswer, budgetListAnswer } from './shape.ts';

const ofMember = { ...budgetExample, member_id: 'ann' };

const budgetRules =
  'Sets the limit of one period, and keeps what was spent in it so far. A longer period must have a higher limit than a shorter one. A changed limit applies from the next request on; if the workspace or the member had no budget before, within three seconds.';
const memberRules = `${budgetRules} The member must belong to the workspace: add it with \`POST /workspaces/{id}/members/add\` first.`;
const removed = ok('The budget does not exist any more.', deletedAnswer, { deleted: true });

export const budgets = tagged('Budgets', {
  'list-budgets': {
    summary: 'List the budgets of a workspace',
    success: ok('The budgets, in the order of their periods from daily to lifetime.', budgetListAnswer, {
      data: [budgetExample],
    }),
    etag: true,
  },
  'get-budget': {
    summary: 'Read a budget of a workspace',
    success: ok('The budget as it is now.', budgetAnswer, { data: budgetExample }),
    etag: true,
  },
  'set-budget': {
    summary: 'Set a budget of a workspace',
    description: budgetRules,
    bodyExample: { limit_rub: 30000 },
    success: ok('The budget as it is now.', budgetAnswer, { data: budgetExample }),
    ifMatch: true,
    etag: true,
  },
  'delete-budget': {
    summary: 'Remove a budget of a workspace',
    success: removed,
    ifMatch: true,
  },
  'list-member-budgets': {
    summary: 'List the budgets of a member',
    success: ok('The budgets, in the order of their periods from daily to lifetime.', budgetListAnswer, {
      data: [ofMember],
    }),
    etag: true,
  },
  'get-member-budget': {
    summary: 'Read a budget of a member',
    success: ok('The budget as it is now.', budgetAnswer, { data: ofMember }),
    etag: true,
  },
  'set-member-budget': {
    summary: 'Set a budget of a member',
    description: memberRules,
    bodyExample: { limit_rub: 500 },
    success: ok('The budget as it is now.', budgetAnswer, { data: ofMember }),
    ifMatch: true,
    etag: true,
  },
  'delete-member-budget': {
    summary: 'Remove a budget of a member',
    success: removed,
    ifMatch: true,
  },
});
