import { defineEndpoint } from '../../http/define-endpoint.ts';
import { putBudget } from '../shared/budget-answers.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('set-member-budget', request, putBudget);
