import { z } from 'zod';
import { workspaceId } from '../shared/path-params.ts';

export const request = { params: z.object({ workspaceId }) };
