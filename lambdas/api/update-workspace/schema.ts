import { z } from 'zod';
import { changeBody, keptWhenNull } from '../shared/change-body.ts';
import { workspaceId } from '../shared/path-params.ts';
import { slug, workspaceName, workspaceSettings } from '../shared/workspace-fields.ts';

export const request = {
  params: z.object({ workspaceId }),
  body: changeBody({ name: keptWhenNull(workspaceName), slug: keptWhenNull(slug), ...workspaceSettings }),
};
