import { exampleIds, exampleTime, ok, tagged } from '../../http/about.ts';
import { usageExample, useLimitsExample } from '../parts/about.ts';
import { addedMembersAnswer, memberAnswer, memberListAnswer, removedMembersAnswer } from './shape.ts';

const member = {
  id: 'ann',
  user_id: 'ann',
  workspace_id: exampleIds.workspace,
  role: 'member',
  created_at: exampleTime,
  ...useLimitsExample,
  ...usageExample,
  budgets: [],
};

export const members = tagged('Members', {
  'list-members': {
    summary: 'List the members of a workspace',
    success: ok('A page of members with their budgets, and how many there are.', memberListAnswer, {
      data: [member],
      total_count: 1,
    }),
  },
  'add-members': {
    summary: 'Give members access to a workspace',
    description:
      'Adds all of the members, or none if one of them cannot be added. A member that was removed before comes back with its budgets and its spending so far.',
    bodyExample: { user_ids: ['ann', 'ci-bot'] },
    success: ok('The members, and how many of them had no access before.', addedMembersAnswer, {
      added_count: 1,
      data: [member],
    }),
  },
  'update-member': {
    summary: 'Change a member of a workspace',
    description:
      'Changes the limits on the use of the keys of a member; null removes a limit. A request must obey the limits of its key, its workspace and its member.',
    bodyExample: { allowed_models: ['sandbox/*'] },
    success: ok('The member as it is now.', memberAnswer, { data: { ...member, allowed_models: ['sandbox/*'] } }),
    ifMatch: true,
    etag: true,
  },
  'remove-members': {
    summary: 'Take access to a workspace away',
    description:
      'Removes all of the members, or none if one of them has no access. Their keys stop working within five seconds.',
    bodyExample: { user_ids: ['ann'] },
    success: ok('The number of members that were removed.', removedMembersAnswer, { removed_count: 1 }),
  },
});
