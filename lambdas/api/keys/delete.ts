import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { keyHash } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import type { DeletedAnswer } from '../../http/shapes.ts';
import { expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { deleteKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';

export const accepts = { params: z.object({ hash: keyHash }) };

export const handler = defineEndpoint('delete-key', accepts, async ({ params: { hash }, caller, request }) => {
  await deleteKey(changesOf(resources.table(), caller, request.id), {
    hash,
    kind: 'inference',
    expectedVersion: expectedVersion(request),
  });
  return jsonResponse<DeletedAnswer>(200, { deleted: true });
});
