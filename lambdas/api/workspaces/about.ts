import { created, exampleIds, exampleTime, ok, tagged } from '../../http/about.ts';
import { budgetExample, privacyExample, usageExample, useLimitsExample } from '../parts/about.ts';
import { deletedWorkspaceAnswer, workspaceAnswer, workspaceListAnswer } from './shape.ts';
import { workspaceConventionFields } from './view.ts';

const workspace = {
  id: exampleIds.workspace,
  account_id: exampleIds.account,
  name: 'Production',
  slug: 'production',
  description: '',
  is_default: false,
  status: 'active',
  created_at: exampleTime,
  updated_at: exampleTime,
  privacy: privacyExample,
  ...useLimitsExample,
  ...usageExample,
  budgets: [budgetExample],
  ...workspaceConventionFields,
};

export const workspaces = tagged('Workspaces', {
  'list-workspaces': {
    summary: 'List workspaces',
    description: 'All workspaces of the account, the oldest first; archived ones are included.',
    success: ok('A page of workspaces, and how many there are.', workspaceListAnswer, {
      data: [workspace],
      total_count: 1,
    }),
  },
  'create-workspace': {
    summary: 'Create a workspace',
    bodyExample: { name: 'Production', slug: 'production' },
    success: created('The workspace as it is now.', workspaceAnswer, { data: { ...workspace, budgets: [] } }),
    etag: true,
  },
  'get-workspace': {
    summary: 'Read a workspace with its budgets',
    success: ok('The workspace as it is now.', workspaceAnswer, { data: workspace }),
    etag: true,
  },
  'update-workspace': {
    summary: 'Change a workspace',
    description:
      'Changes the fields that are sent, and leaves the others as they are; null removes a setting, such as a rule of `privacy`.',
    bodyExample: { name: 'Production (EU)', privacy: { blockTraining: true } },
    success: ok('The workspace as it is now.', workspaceAnswer, { data: workspace }),
    ifMatch: true,
    etag: true,
  },
  'delete-workspace': {
    summary: 'Delete a workspace',
    description:
      'A workspace that has had keys or spending, or has more than 80 members, is archived instead of deleted: its keys stop working, and it stays readable. The Default workspace cannot be deleted.',
    success: ok('The workspace was deleted or archived.', deletedWorkspaceAnswer, {
      deleted: true,
      archived: true,
    }),
    ifMatch: true,
  },
});
