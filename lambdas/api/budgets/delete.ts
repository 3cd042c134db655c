import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { interval, workspaceId } from '../../http/path-params.ts';
import { removeBudget } from './answers.ts';

export const accepts = { params: z.object({ workspaceId, interval }) };

export const handler = defineEndpoint('delete-budget', accepts, removeBudget);
