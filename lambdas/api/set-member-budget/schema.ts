import { z } from 'zod';
import { budgetBody, exactNumbers } from '../shared/budget-fields.ts';
import { interval, memberId, workspaceId } from '../shared/path-params.ts';

export const request = { exactNumbers, params: z.object({ workspaceId, memberId, interval }), body: budgetBody };
