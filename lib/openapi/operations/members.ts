import { z } from 'zod';
import { accepts as addMembers } from '../../../lambdas/api/members/add.ts';
import { accepts as listMembers } from '../../../lambdas/api/members/list.ts';
import { accepts as removeMembers } from '../../../lambdas/api/members/remove.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { memberExample } from '../examples.ts';
import { ok, type Operation } from '../operation.ts';
import { list, memberShape } from '../shapes.ts';

export const membersOperations = {
  'list-members': {
    tag: 'Members',
    summary: 'List the members of a workspace',
    request: listMembers,
    success: ok('A page of members with their budgets, and how many there are.', list(memberShape), {
      data: [memberExample],
      total_count: 1,
    }),
    errors: ['not_found'],
  },
  'add-members': {
    tag: 'Members',
    summary: 'Give members access to a workspace',
    description: 'All of them or none. One that was removed comes back with its budgets and what was counted.',
    request: addMembers,
    bodyExample: { user_ids: ['ann', 'ci-bot'] },
    success: ok(
      'The members, and how many of them had no access before.',
      z.strictObject({ added_count: z.int().nonnegative(), data: z.array(memberShape) }),
      { added_count: 1, data: [memberExample] },
    ),
    errors: ['not_found', 'conflict'],
    headers: ['Idempotency-Key'],
  },
  'remove-members': {
    tag: 'Members',
    summary: 'Take access to a workspace away',
    description: 'All of them or none. Their keys stop working within five seconds.',
    request: removeMembers,
    bodyExample: { user_ids: ['ann'] },
    success: ok('How many were removed.', z.strictObject({ removed_count: z.int().nonnegative() }), {
      removed_count: 1,
    }),
    errors: ['not_found', 'conflict'],
    headers: ['Idempotency-Key'],
  },
} satisfies Partial<Record<RouteName, Operation>>;
