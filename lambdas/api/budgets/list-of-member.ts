import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { memberId, workspaceId } from '../../http/path-params.ts';
import { listBudgets } from './answers.ts';

export const accepts = { params: z.object({ workspaceId, memberId }) };

export const handler = defineEndpoint('list-member-budgets', accepts, listBudgets);
