import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { keyHash } from '../../http/path-params.ts';
import { keyAlerts } from '../../management/alerts.ts';
import { resources } from '../../resources.ts';
import { putAlerts } from './answers.ts';
import { alertsBody, alertsInput } from './fields.ts';

export const accepts = { params: z.object({ hash: keyHash }), body: alertsBody };

export const handler = defineEndpoint('set-key-alerts', accepts, async (input) => {
  const { caller, params, body } = input;
  return putAlerts(input, await keyAlerts(resources.table(), caller.account.id, params.hash), alertsInput(body));
});
