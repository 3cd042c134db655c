/** Routes for alert settings of accounts, workspaces and keys; the path determines the owner. */

import type { EndpointInput } from '../../http/endpoint.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import {
  readAppliedAlerts,
  setAlerts,
  type AlertOwners,
  type AlertsInput,
  type AppliedAlerts,
} from '../../management/alerts.ts';
import { changesOf } from '../../management/change.ts';
import { maskedWebhookUrl } from '../../management/webhook-secrets.ts';
import { isOnOwnMachine } from '../../platform/environment.ts';
import { openMails } from '../../platform/mails.ts';
import { resources } from '../../resources.ts';
import type { AlertsAnswer, AlertsView } from './shape.ts';

type AlertsRequest = Pick<EndpointInput<'management'>, 'caller' | 'request'>;

export async function getAlerts({ caller }: AlertsRequest, owners: AlertOwners): Promise<HttpResponse> {
  return alertsResponse(await readAppliedAlerts(resources.table(), caller.account.id, owners));
}

/** Replaces the alert settings of an owner. Links in notices lead to the console at the address of this request. */
export async function putAlerts(
  { caller, request }: AlertsRequest,
  owners: AlertOwners,
  input: AlertsInput,
): Promise<HttpResponse> {
  const applied = await setAlerts(changesOf(resources.table(), caller, request.id), owners, input, {
    mails: openMails(),
    urlRules: { allowLoopback: isOnOwnMachine() },
    baseUrl: request.baseUrl,
    expectedVersion: expectedVersion(request),
  });
  return alertsResponse(applied);
}

function alertsResponse(applied: AppliedAlerts): HttpResponse {
  return jsonResponse<AlertsAnswer>(200, { data: alertsView(applied) }, etag(applied.version));
}

function alertsView({ from, settings }: AppliedAlerts): AlertsView {
  return {
    set_on: from?.kind ?? null,
    thresholds: [...settings.thresholds],
    webhook_url: maskedWebhookUrl(settings) ?? null,
    format: settings.format,
    chat_id: settings.chatId ?? null,
    email: settings.email ?? null,
    low_balance_rub: settings.lowBalance ?? null,
    low_balance_percent: settings.lowBalancePercent ?? null,
  };
}
