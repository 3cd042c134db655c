import { z } from 'zod';
import { accepts as getActivity } from '../../../lambdas/api/activity/get.ts';
import { accepts as getGeneration } from '../../../lambdas/api/generations/get.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { activityExample, currentKeyExample } from '../examples.ts';
import { ok, type Operation } from '../operation.ts';
import { activityRowShape, currentKeyShape, data, generationShape } from '../shapes.ts';

export const accountOperations = {
  'get-generation': {
    tag: 'Account',
    summary: 'Read what one request came to',
    description:
      'A key of a member sees its member’s generations in its workspace, any other key those of its workspace. 404 until the cost is final.',
    request: getGeneration,
    success: ok('The generation.', data(generationShape)),
    errors: ['not_found'],
  },
  'get-current-key': {
    tag: 'Account',
    summary: 'Read the calling key',
    success: ok('Limit, spending and settings of the key.', data(currentKeyShape), { data: currentKeyExample }),
  },
  'get-activity': {
    tag: 'Account',
    summary: 'Report daily spending',
    description:
      'Successful requests of the last 30 completed UTC days by date, model and endpoint. A day appears when it is over and rolled up; a request that is settled later re-opens its day.',
    request: getActivity,
    success: ok('Rows in the order of date, model and endpoint.', data(z.array(activityRowShape)), {
      data: [activityExample],
    }),
    errors: ['invalid_request', 'not_found'],
  },
} satisfies Partial<Record<RouteName, Operation>>;
