import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listBudgets } from '../shared/budget-answers.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('list-budgets', request, listBudgets);
