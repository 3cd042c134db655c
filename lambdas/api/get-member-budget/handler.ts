import { defineEndpoint } from '../../http/define-endpoint.ts';
import { getBudget } from '../shared/budget-answers.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('get-member-budget', request, getBudget);
