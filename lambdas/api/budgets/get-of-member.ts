import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { interval, memberId, workspaceId } from '../../http/path-params.ts';
import { getBudget } from './answers.ts';

export const accepts = { params: z.object({ workspaceId, memberId, interval }) };

export const handler = defineEndpoint('get-member-budget', accepts, getBudget);
