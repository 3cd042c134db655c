import { defineEndpoint } from '../../http/define-endpoint.ts';
import { accountAlerts } from '../../management/alerts.ts';
import { putAlerts } from './answers.ts';
import { accountAlertsBody, alertAmounts, alertsInput } from './fields.ts';

export const accepts = { exactNumbers: alertAmounts, body: accountAlertsBody };

export const handler = defineEndpoint('set-account-alerts', accepts, async (input) =>
  putAlerts(input, accountAlerts(input.caller.account.id), alertsInput(input.body)),
);
