import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { workspaceId } from '../../http/path-params.ts';
import { workspaceAlerts } from '../../management/alerts.ts';
import { resources } from '../../resources.ts';
import { getAlerts } from './answers.ts';

export const accepts = { params: z.object({ workspaceId }) };

export const handler = defineEndpoint('get-workspace-alerts', accepts, async (input) => {
  const { caller, params } = input;
  return getAlerts(input, await workspaceAlerts(resources.table(), caller.account.id, params.workspaceId, 'read'));
});
