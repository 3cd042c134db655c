import { defineEndpoint } from '../../http/define-endpoint.ts';
import { accountAlerts } from '../../management/alerts.ts';
import { getAlerts } from './answers.ts';

export const handler = defineEndpoint('get-account-alerts', {}, async (input) =>
  getAlerts(input, accountAlerts(input.caller.account.id)),
);
