import { z } from 'zod';
import { someId } from '../shared/path-params.ts';
import { booleanParameter, integerParameter } from '../../http/fields.ts';

export const request = {
  query: z.strictObject({
    workspace_id: someId
      .optional()
      .meta({ description: 'A workspace by id or slug; the Default workspace without it.' }),
    member_id: someId.optional().meta({ description: 'Only keys of this member.' }),
    offset: integerParameter(0, 1_000_000_000).default(0),
    limit: integerParameter(1, 100).default(100),
    include_disabled: booleanParameter.default(true),
  }),
};
