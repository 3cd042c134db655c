import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { interval, workspaceId } from '../../http/path-params.ts';
import { putBudget } from './answers.ts';
import { budgetBody, budgetAmounts } from './fields.ts';

export const accepts = { exactNumbers: budgetAmounts, params: z.object({ workspaceId, interval }), body: budgetBody };

export const handler = defineEndpoint('set-budget', accepts, putBudget);
