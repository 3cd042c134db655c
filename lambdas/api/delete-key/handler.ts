import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { deleteKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('delete-key', schemas, async ({ params: { hash }, caller, request }) => {
  await deleteKey(changesOf(resources.table(), caller, request.id), {
    hash,
    kind: 'inference',
    expectedVersion: expectedVersion(request),
  });
  return jsonResponse(200, { deleted: true });
});
