import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { workspaceAlerts } from '../../management/alerts.ts';
import { resources } from '../../resources.ts';
import { putAlerts } from './answers.ts';
import { alertsBody, alertsInput } from './fields.ts';

export const accepts = { params: z.object({ workspaceId }), body: alertsBody };

export const handler = defineEndpoint('set-workspace-alerts', accepts, async (input) => {
  const { caller, params, body } = input;
  const owners = await workspaceAlerts(resources.table(), caller.account.id, params.workspaceId, 'change');
  return putAlerts(input, owners, alertsInput(body));
});
