import { z } from 'zod';
import { accepts as createWorkspace } from '../../../lambdas/api/workspaces/create.ts';
import { accepts as deleteWorkspace } from '../../../lambdas/api/workspaces/delete.ts';
import { accepts as getWorkspace } from '../../../lambdas/api/workspaces/get.ts';
import { accepts as listWorkspaces } from '../../../lambdas/api/workspaces/list.ts';
import { accepts as updateWorkspace } from '../../../lambdas/api/workspaces/update.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { workspaceExample } from '../examples.ts';
import { created, ok, type Operation } from '../operation.ts';
import { data, list, workspaceShape } from '../shapes.ts';

export const workspacesOperations = {
  'list-workspaces': {
    tag: 'Workspaces',
    summary: 'List workspaces',
    description: 'In the order of creation, archived ones included.',
    request: listWorkspaces,
    success: ok('A page of workspaces, and how many there are.', list(workspaceShape), {
      data: [workspaceExample],
      total_count: 1,
    }),
  },
  'create-workspace': {
    tag: 'Workspaces',
    summary: 'Create a workspace',
    request: createWorkspace,
    bodyExample: { name: 'Production', slug: 'production' },
    success: created('The workspace.', data(workspaceShape), { data: { ...workspaceExample, budgets: [] } }),
    errors: ['conflict'],
    headers: ['Idempotency-Key'],
    etag: true,
  },
  'get-workspace': {
    tag: 'Workspaces',
    summary: 'Read a workspace with its budgets',
    request: getWorkspace,
    success: ok('The workspace.', data(workspaceShape), { data: workspaceExample }),
    errors: ['not_found'],
    etag: true,
  },
  'update-workspace': {
    tag: 'Workspaces',
    summary: 'Change a workspace',
    description: 'Merges what is given; null clears.',
    request: updateWorkspace,
    bodyExample: { name: 'Production (EU)', privacy: { blockTraining: true } },
    success: ok('The workspace as it is now.', data(workspaceShape), { data: workspaceExample }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-workspace': {
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description:
      'One with history (keys or spending) is archived instead: its keys stop working, and it stays readable. The Default workspace cannot be deleted.',
    request: deleteWorkspace,
    success: ok('It is out of use.', z.strictObject({ deleted: z.literal(true), archived: z.boolean() }), {
      deleted: true,
      archived: true,
    }),
    errors: ['invalid_request', 'not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
  },
} satisfies Partial<Record<RouteName, Operation>>;
