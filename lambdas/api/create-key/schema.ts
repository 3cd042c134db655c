import { z } from 'zod';
import { someId } from '../shared/path-params.ts';
import { exactNumbers, keyName, keySettings } from '../shared/key-fields.ts';

export const request = {
  exactNumbers,
  body: z.strictObject({
    name: keyName,
    workspace_id: someId
      .nullish()
      .meta({ description: 'A workspace by id or slug; the Default workspace without it.' }),
    member_id: someId
      .nullish()
      .meta({ description: 'Whose spending and visibility the key has: a member of the workspace.' }),
    ...keySettings,
  }),
};
