import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { keyView } from '../../management/key-view.ts';
import { findKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('get-key', request, async ({ params: { hash }, caller: { account } }) => {
  const table = resources.table();
  const key = await findKey(table, account.id, hash, 'inference');
  const counter = await readCounter(table, { kind: 'key', id: hash });
  return jsonResponse(200, { data: keyView(key, counter) }, etag(key.version));
});
