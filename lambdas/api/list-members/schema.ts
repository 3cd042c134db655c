import { z } from 'zod';
import { integerParameter } from '../../http/fields.ts';
import { workspaceId } from '../shared/path-params.ts';

export const request = {
  params: z.object({ workspaceId }),
  query: z.strictObject({
    offset: integerParameter(0, 1_000_000_000).default(0),
    limit: integerParameter(1, 100).default(100),
  }),
};
