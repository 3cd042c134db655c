import { z } from 'zod';
import { exactNumbers, keyName, keySettings } from '../shared/key-fields.ts';
import { keyHash } from '../shared/path-params.ts';

export const request = {
  exactNumbers,
  params: z.object({ hash: keyHash }),
  body: z
    .strictObject({ name: keyName.optional(), disabled: z.boolean().optional(), ...keySettings })
    .refine((body) => Object.keys(body).length > 0, { error: 'must have at least one field to change' })
    .meta({ override: { minProperties: 1 } }),
};
