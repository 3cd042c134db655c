import { z } from 'zod';
import { accepts as createKey } from '../../../lambdas/api/keys/create.ts';
import { accepts as deleteKey } from '../../../lambdas/api/keys/delete.ts';
import { accepts as getKey } from '../../../lambdas/api/keys/get.ts';
import { accepts as listKeys } from '../../../lambdas/api/keys/list.ts';
import { accepts as updateKey } from '../../../lambdas/api/keys/update.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { createdKeyExample, keyExample } from '../examples.ts';
import { created, ok, type Operation } from '../operation.ts';
import { createdKeyShape, data, deletedShape, keyShape, list } from '../shapes.ts';

export const keysOperations = {
  'list-keys': {
    tag: 'Keys',
    summary: 'List inference keys',
    description: 'In the order of creation.',
    request: listKeys,
    success: ok('A page of keys, and how many there are.', list(keyShape), { data: [keyExample], total_count: 1 }),
    errors: ['not_found'],
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
    errors: ['not_found', 'conflict'],
    headers: ['Idempotency-Key'],
    etag: true,
  },
  'get-key': {
    tag: 'Keys',
    summary: 'Read an inference key',
    request: getKey,
    success: ok('The key.', data(keyShape), { data: keyExample }),
    errors: ['not_found'],
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
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
    etag: true,
  },
  'delete-key': {
    tag: 'Keys',
    summary: 'Delete an inference key',
    description:
      'It stops working within five seconds; a running stream gets what is held for it already, and its history stays.',
    request: deleteKey,
    success: ok('It is gone.', deletedShape, { deleted: true }),
    errors: ['not_found', 'conflict', 'precondition_failed'],
    headers: ['If-Match'],
  },
} satisfies Partial<Record<RouteName, Operation>>;
