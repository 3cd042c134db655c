import * as z from 'zod';
import { servedProviderIds } from '../../catalog/served-catalog.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeBody, keptWhenNull } from '../../http/fields.ts';
import { keyHash } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { updateKey } from '../../management/keys.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters/counters.ts';
import { keySettingsOf } from '../../management/key-settings.ts';
import { limitChangesOf } from '../parts/limit-changes.ts';
import { keyAmounts, keyName, keySettings } from './fields.ts';
import type { KeyAnswer } from './shape.ts';
import { keyView } from './view.ts';

export const accepts = {
  exactNumbers: keyAmounts,
  params: z.object({ hash: keyHash }),
  body: changeBody({
    name: keptWhenNull(keyName).meta({ description: 'A name for people; nothing depends on it.' }),
    disabled: keptWhenNull(z.boolean()).meta({
      description: 'With true the key is switched off; with false it works again.',
    }),
    ...keySettings,
  }),
};

export const handler = defineEndpoint('update-key', accepts, async (input) => {
  const { params, body, request } = input;
  const { hash } = params;
  const table = resources.table();
  const key = await updateKey(
    { ...limitChangesOf(input), providerIds: servedProviderIds },
    { hash, kind: 'inference', expectedVersion: expectedVersion(request) },
    { name: body.name, disabled: body.disabled, ...keySettingsOf(body) },
  );
  const counter = await readCounter(table, { kind: 'key', id: hash });
  return jsonResponse<KeyAnswer>(200, { data: keyView(key, counter) }, etag(key.version));
});
