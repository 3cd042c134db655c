import { z } from 'zod';
import { request as addMembers } from '../../lambdas/api/add-members/schema.ts';
import { request as createKey } from '../../lambdas/api/create-key/schema.ts';
import { request as createWorkspace } from '../../lambdas/api/create-workspace/schema.ts';
import { request as deleteBudget } from '../../lambdas/api/delete-budget/schema.ts';
import { request as deleteKey } from '../../lambdas/api/delete-key/schema.ts';
import { request as deleteMemberBudget } from '../../lambdas/api/delete-member-budget/schema.ts';
import { request as deleteWorkspace } from '../../lambdas/api/delete-workspace/schema.ts';
import { request as getActivity } from '../../lambdas/api/get-activity/schema.ts';
import { request as getBudget } from '../../lambdas/api/get-budget/schema.ts';
import { request as getGeneration } from '../../lambdas/api/get-generation/schema.ts';
import { request as getKey } from '../../lambdas/api/get-key/schema.ts';
import { request as getMemberBudget } from '../../lambdas/api/get-member-budget/schema.ts';
import { request as getModel } from '../../lambdas/api/get-model/schema.ts';
import { request as getWorkspace } from '../../lambdas/api/get-workspace/schema.ts';
import { request as listBudgets } from '../../lambdas/api/list-budgets/schema.ts';
import { request as listEmbeddingsModels } from '../../lambdas/api/list-embeddings-models/schema.ts';
import { request as listKeys } from '../../lambdas/api/list-keys/schema.ts';
import { request as listMemberBudgets } from '../../lambdas/api/list-member-budgets/schema.ts';
import { request as listMembers } from '../../lambdas/api/list-members/schema.ts';
import { request as listModels } from '../../lambdas/api/list-models/schema.ts';
import { request as listUserModels } from '../../lambdas/api/list-user-models/schema.ts';
import { request as listWorkspaces } from '../../lambdas/api/list-workspaces/schema.ts';
import { request as removeMembers } from '../../lambdas/api/remove-members/schema.ts';
import { request as setBudget } from '../../lambdas/api/set-budget/schema.ts';
import { request as setMemberBudget } from '../../lambdas/api/set-member-budget/schema.ts';
import { request as updateKey } from '../../lambdas/api/update-key/schema.ts';
import { request as updateWorkspace } from '../../lambdas/api/update-workspace/schema.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import type { RouteName } from '../../lambdas/routes.ts';
import {
  activityExample,
  budgetExample,
  createdKeyExample,
  currentKeyExample,
  keyExample,
  memberBudgetExample,
  memberExample,
  messageExample,
  messagesBodyExample,
  workspaceExample,
} from './examples.ts';
import type { Operation, Success } from './operation.ts';
import {
  activityRowShape,
  budgetShape,
  createdKeyShape,
  currentKeyShape,
  data,
  generationShape,
  keyShape,
  list,
  memberShape,
  messageShape,
  modelList,
  modelWithEndpointsShape,
  videoModelShape,
  workspaceShape,
} from './shapes.ts';

const ok = (description: string, schema: z.ZodType, example?: unknown): Success => ({
  status: 200,
  description,
  schema,
  ...(example === undefined ? {} : { example }),
});
const created = (description: string, schema: z.ZodType, example: unknown): Success => ({
  ...ok(description, schema, example),
  status: 201,
});
const deleted = z.strictObject({ deleted: z.literal(true) });
const budgets =
  'Limits rise from daily to lifetime; a change keeps what was counted and holds from the next request on.';
const inferenceRefusals = [402, 404, 408, 413, 429, 500, 502, 503, 504, 529] as const;

/** Every route of the manifest, as people and programs read it. */
export const operations: Record<RouteName, Operation> = {
  'create-message': {
    tag: 'Inference',
    summary: 'Generate a message',
    description:
      'The Messages API of Anthropic, over any model of the catalog. With `stream: true` the answer is a stream of server-sent events; an error after the first byte is an `error` event. `usage.cost` is in RUB.',
    request: { body: messagesRequestSchema },
    bodyExample: messagesBodyExample,
    success: {
      ...ok('The message, or its events.', messageShape, messageExample),
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    refusals: inferenceRefusals,
  },
  'count-tokens': {
    tag: 'Inference',
    summary: 'Count the tokens of a prompt',
    request: { body: messagesRequestSchema },
    bodyExample: messagesBodyExample,
    success: ok(
      'The count; `estimated` when the provider has none of its own.',
      z.strictObject({ input_tokens: z.int().nonnegative(), estimated: z.literal(true).optional() }),
      { input_tokens: 9 },
    ),
    refusals: inferenceRefusals.filter((status) => status !== 402),
  },
  'list-models': {
    tag: 'Catalog',
    summary: 'List models',
    description: 'The whole list, unless offset or limit is given.',
    request: listModels,
    success: ok('Models of the wanted modalities.', modelList),
  },
  'get-model': {
    tag: 'Catalog',
    summary: 'Read a model',
    request: getModel,
    success: ok(
      'The model; with its endpoints when they were asked for. An empty `routing.default` means automatic routing.',
      z.strictObject({
        data: modelWithEndpointsShape,
        routing: z.strictObject({ default: z.strictObject({}) }).optional(),
      }),
    ),
    refusals: [404],
  },
  'list-user-models': {
    tag: 'Catalog',
    summary: 'List the models that the calling key may use',
    description:
      'Models with at least one provider that the privacy settings of account, workspace and key allow. For a management key the account and its Default workspace count.',
    request: listUserModels,
    success: ok('Models of the wanted modalities.', modelList),
  },
  'list-embeddings-models': {
    tag: 'Catalog',
    summary: 'List embedding models',
    request: listEmbeddingsModels,
    success: ok('Models that make embeddings.', modelList),
  },
  'list-videos-models': {
    tag: 'Catalog',
    summary: 'List video models',
    success: ok('Models that make video, with what each can be asked for.', data(z.array(videoModelShape))),
  },
  'get-generation': {
    tag: 'Account',
    summary: 'Read what one request came to',
    description:
      'A key of a member sees its member’s generations in its workspace, any other key those of its workspace. 404 until the cost is final.',
    request: getGeneration,
    success: ok('The generation.', data(generationShape)),
    refusals: [404],
  },
  'get-current-key': {
    tag: 'Account',
    summary: 'Read the calling key',
    success: ok('Limit, spending and settings of the key.', data(currentKeyShape), { data: currentKeyExample }),
  },
  'get-activity': {
    tag: 'Account',
    summary: 'Report daily spending',
    description:
      'Successful requests of the last 30 completed UTC days by date, model and endpoint. A day appears when it is over and rolled up; a request that is settled later re-opens its day.',
    request: getActivity,
    success: ok('Rows in the order of date, model and endpoint.', data(z.array(activityRowShape)), {
      data: [activityExample],
    }),
    refusals: [400, 404],
  },
  'list-keys': {
    tag: 'Keys',
    summary: 'List inference keys',
    description: 'In the order of creation.',
    request: listKeys,
    success: ok('A page of keys, and how many there are.', list(keyShape), { data: [keyExample], total_count: 1 }),
    refusals: [404],
  },
  'create-key': {
    tag: 'Keys',
    summary: 'Create an inference key',
    request: createKey,
    bodyExample: { name: "Ann's laptop", limit: 500, limit_reset: 'monthly' },
    success: created(
      'The key with its secret, which is never shown again.',
      z.strictObject({ data: createdKeyShape, key: z.string() }),
      createdKeyExample,
    ),
    refusals: [404, 409],
    headers: ['Idempotency-Key'],
    etag: true,
  },
  'get-key': {
    tag: 'Keys',
    summary: 'Read an inference key',
    request: getKey,
    success: ok('The key.', data(keyShape), { data: keyExample }),
    refusals: [404],
    etag: true,
  },
  'update-key': {
    tag: 'Keys',
    summary: 'Change an inference key',
    description:
      'Merges what is given; null clears. Limits hold from the next request on, a disabled key stops within five seconds. Keys are never moved between workspaces or members.',
    request: updateKey,
    bodyExample: { disabled: true },
    success: ok('The key as it is now.', data(keyShape), { data: { ...keyExample, disabled: true } }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-key': {
    tag: 'Keys',
    summary: 'Delete an inference key',
    description: 'It stops working within five seconds; running streams finish, its history stays.',
    request: deleteKey,
    success: ok('It is gone.', deleted, { deleted: true }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
  },
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
    refusals: [409],
    headers: ['Idempotency-Key'],
    etag: true,
  },
  'get-workspace': {
    tag: 'Workspaces',
    summary: 'Read a workspace with its budgets',
    request: getWorkspace,
    success: ok('The workspace.', data(workspaceShape), { data: workspaceExample }),
    refusals: [404],
    etag: true,
  },
  'update-workspace': {
    tag: 'Workspaces',
    summary: 'Change a workspace',
    description: 'Merges what is given; null clears.',
    request: updateWorkspace,
    bodyExample: { name: 'Production (EU)', privacy: { blockTraining: true } },
    success: ok('The workspace as it is now.', data(workspaceShape), { data: workspaceExample }),
    refusals: [404, 409, 412],
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
    refusals: [400, 404, 409, 412],
    headers: ['If-Match'],
  },
  'list-budgets': {
    tag: 'Budgets',
    summary: 'List the budgets of a workspace',
    request: listBudgets,
    success: ok('Budgets from daily to lifetime.', data(z.array(budgetShape)), { data: [budgetExample] }),
    refusals: [404],
    etag: true,
  },
  'get-budget': {
    tag: 'Budgets',
    summary: 'Read a budget of a workspace',
    request: getBudget,
    success: ok('The budget.', data(budgetShape), { data: budgetExample }),
    refusals: [404],
    etag: true,
  },
  'set-budget': {
    tag: 'Budgets',
    summary: 'Set a budget of a workspace',
    description: budgets,
    request: setBudget,
    bodyExample: { limit_rub: 30000 },
    success: ok('The budget.', data(budgetShape), { data: budgetExample }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-budget': {
    tag: 'Budgets',
    summary: 'Remove a budget of a workspace',
    request: deleteBudget,
    success: ok('There is no such budget (any more).', deleted, { deleted: true }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
  },
  'list-members': {
    tag: 'Members',
    summary: 'List the members of a workspace',
    request: listMembers,
    success: ok('A page of members with their budgets, and how many there are.', list(memberShape), {
      data: [memberExample],
      total_count: 1,
    }),
    refusals: [404],
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
    refusals: [404, 409],
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
    refusals: [404, 409],
    headers: ['Idempotency-Key'],
  },
  'list-member-budgets': {
    tag: 'Budgets',
    summary: 'List the budgets of a member',
    request: listMemberBudgets,
    success: ok('Budgets from daily to lifetime.', data(z.array(budgetShape)), { data: [memberBudgetExample] }),
    refusals: [404],
    etag: true,
  },
  'get-member-budget': {
    tag: 'Budgets',
    summary: 'Read a budget of a member',
    request: getMemberBudget,
    success: ok('The budget.', data(budgetShape), { data: memberBudgetExample }),
    refusals: [404],
    etag: true,
  },
  'set-member-budget': {
    tag: 'Budgets',
    summary: 'Set a budget of a member',
    description: budgets,
    request: setMemberBudget,
    bodyExample: { limit_rub: 500 },
    success: ok('The budget.', data(budgetShape), { data: memberBudgetExample }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-member-budget': {
    tag: 'Budgets',
    summary: 'Remove a budget of a member',
    request: deleteMemberBudget,
    success: ok('There is no such budget (any more).', deleted, { deleted: true }),
    refusals: [404, 409, 412],
    headers: ['If-Match'],
  },
  'get-openapi': {
    tag: 'Service',
    summary: 'This document',
    success: ok('OpenAPI 3.1.', z.looseObject({ openapi: z.string() })),
  },
  'get-docs': {
    tag: 'Service',
    summary: 'This document, to read',
    success: { ...ok('One page.', z.string()), content: { 'text/html': { schema: { type: 'string' } } } },
  },
  health: {
    tag: 'Service',
    summary: 'Whether the gateway answers',
    success: ok('It does.', z.strictObject({ status: z.literal('ok') }), { status: 'ok' }),
  },
};
