import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { keyHash } from '../../http/path-params.ts';
import { keyAlerts } from '../../management/alerts.ts';
import { resources } from '../../resources.ts';
import { getAlerts } from './answers.ts';

export const accepts = { params: z.object({ hash: keyHash }) };

export const handler = defineEndpoint('get-key-alerts', accepts, async (input) => {
  const { caller, params } = input;
  return getAlerts(input, await keyAlerts(resources.table(), caller.account.id, params.hash));
});
