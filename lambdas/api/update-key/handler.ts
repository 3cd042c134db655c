import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { keyView } from '../../management/key-view.ts';
import { updateKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters.ts';
import { settingsOf } from '../shared/key-fields.ts';
import { checkProviders } from '../shared/privacy-field.ts';
import { request as schemas } from './schema.ts';

export const handler = defineEndpoint('update-key', schemas, async ({ params: { hash }, body, caller, request }) => {
  checkProviders(resources.catalog(), body.privacy);
  const table = resources.table();
  const key = await updateKey(
    changesOf(table, caller, request.id),
    { hash, kind: 'inference', expectedVersion: expectedVersion(request) },
    { name: body.name, disabled: body.disabled, ...settingsOf(body) },
  );
  const counter = await readCounter(table, { kind: 'key', id: hash });
  return jsonResponse(200, { data: keyView(key, counter) }, etag(key.version));
});
