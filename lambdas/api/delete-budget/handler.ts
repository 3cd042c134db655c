import { defineEndpoint } from '../../http/define-endpoint.ts';
import { removeBudget } from '../shared/budget-answers.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('delete-budget', request, removeBudget);
