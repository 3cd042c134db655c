import { z } from 'zod';
import { interval, memberId, workspaceId } from '../shared/path-params.ts';

export const request = { params: z.object({ workspaceId, memberId, interval }) };
