import { z } from 'zod';
import { workspaceId } from '../shared/path-params.ts';
import { slug, workspaceName, workspaceSettings } from '../shared/workspace-fields.ts';

export const request = {
  params: z.object({ workspaceId }),
  body: z
    .strictObject({ name: workspaceName.optional(), slug: slug.optional(), ...workspaceSettings })
    .refine((body) => Object.keys(body).length > 0, { error: 'must have at least one field to change' })
    .meta({ override: { minProperties: 1 } }),
};
