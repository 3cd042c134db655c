import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { listBudgets } from './answers.ts';

export const accepts = { params: z.object({ workspaceId }) };

export const handler = defineEndpoint('list-budgets', accepts, listBudgets);
