import { z } from 'zod';
import { accepts as deleteBudget } from '../../../lambdas/api/budgets/delete.ts';
import { accepts as deleteMemberBudget } from '../../../lambdas/api/budgets/delete-of-member.ts';
import { accepts as getBudget } from '../../../lambdas/api/budgets/get.ts';
import { accepts as getMemberBudget } from '../../../lambdas/api/budgets/get-of-member.ts';
import { accepts as listBudgets } from '../../../lambdas/api/budgets/list.ts';
import { accepts as listMemberBudgets } from '../../../lambdas/api/budgets/list-of-member.ts';
import { accepts as setBudget } from '../../../lambdas/api/budgets/set.ts';
import { accepts as setMemberBudget } from '../../../lambdas/api/budgets/set-of-member.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { budgetExample, memberBudgetExample } from '../examples.ts';
import { ok, type Operation } from '../operation.ts';
import { budgetShape, data, deletedShape } from '../shapes.ts';

const budgets =
  'Limits rise from daily to lifetime; a change keeps what was counted and holds from the next request on.';

export const budgetsOperations = {
  'list-budgets': {
    tag: 'Budgets',
    summary: 'List the budgets of a workspace',
    request: listBudgets,
    success: ok('Budgets from daily to lifetime.', data(z.array(budgetShape)), { data: [budgetExample] }),
    errors: ['not_found'],
    etag: true,
  },
  'get-budget': {
    tag: 'Budgets',
    summary: 'Read a budget of a workspace',
    request: getBudget,
    success: ok('The budget.', data(budgetShape), { data: budgetExample }),
    errors: ['not_found'],
    etag: true,
  },
  'set-budget': {
    tag: 'Budgets',
    summary: 'Set a budget of a workspace',
    description: budgets,
    request: setBudget,
    bodyExample: { limit_rub: 30000 },
    success: ok('The budget.', data(budgetShape), { data: budgetExample }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-budget': {
    tag: 'Budgets',
    summary: 'Remove a budget of a workspace',
    request: deleteBudget,
    success: ok('There is no such budget (any more).', deletedShape, { deleted: true }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
  },
  'list-member-budgets': {
    tag: 'Budgets',
    summary: 'List the budgets of a member',
    request: listMemberBudgets,
    success: ok('Budgets from daily to lifetime.', data(z.array(budgetShape)), { data: [memberBudgetExample] }),
    errors: ['not_found'],
    etag: true,
  },
  'get-member-budget': {
    tag: 'Budgets',
    summary: 'Read a budget of a member',
    request: getMemberBudget,
    success: ok('The budget.', data(budgetShape), { data: memberBudgetExample }),
    errors: ['not_found'],
    etag: true,
  },
  'set-member-budget': {
    tag: 'Budgets',
    summary: 'Set a budget of a member',
    description: budgets,
    request: setMemberBudget,
    bodyExample: { limit_rub: 500 },
    success: ok('The budget.', data(budgetShape), { data: memberBudgetExample }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-member-budget': {
    tag: 'Budgets',
    summary: 'Remove a budget of a member',
    request: deleteMemberBudget,
    success: ok('There is no such budget (any more).', deletedShape, { deleted: true }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
  },
} satisfies Partial<Record<RouteName, Operation>>;
