import { z } from 'zod';
import { changeBody, keptWhenNull } from '../shared/change-body.ts';
import { exactNumbers, keyName, keySettings } from '../shared/key-fields.ts';
import { keyHash } from '../shared/path-params.ts';

export const request = {
  exactNumbers,
  params: z.object({ hash: keyHash }),
  body: changeBody({ name: keptWhenNull(keyName), disabled: keptWhenNull(z.boolean()), ...keySettings }),
};
