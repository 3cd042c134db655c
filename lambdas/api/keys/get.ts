import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { keyHash } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag } from '../../http/versions.ts';
import { findKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters/counters.ts';
import type { KeyAnswer } from './shape.ts';
import { keyView } from './view.ts';

export const accepts = { params: z.object({ hash: keyHash }) };

export const handler = defineEndpoint('get-key', accepts, async ({ params: { hash }, caller: { account } }) => {
  const table = resources.table();
  const key = await findKey(table, account.id, hash, 'inference');
  const counter = await readCounter(table, { kind: 'key', id: hash });
  return jsonResponse<KeyAnswer>(200, { data: keyView(key, counter) }, etag(key.version));
});
