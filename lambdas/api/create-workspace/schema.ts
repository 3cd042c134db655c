import { z } from 'zod';
import { slug, workspaceName, workspaceSettings } from '../shared/workspace-fields.ts';

export const request = { body: z.strictObject({ name: workspaceName, slug, ...workspaceSettings }) };
