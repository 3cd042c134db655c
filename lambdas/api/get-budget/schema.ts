import { z } from 'zod';
import { interval, workspaceId } from '../shared/path-params.ts';

export const request = { params: z.object({ workspaceId, interval }) };
