import * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { integerParameter } from '../../http/fields.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { listDeliveries, type AlertDelivery } from '../../store/alerts/deliveries.ts';
import type { DeliveryListAnswer, DeliveryView } from './shape.ts';

const MAX_DELIVERIES = 100;

export const accepts = {
  query: z.strictObject({
    limit: integerParameter(1, MAX_DELIVERIES)
      .default(MAX_DELIVERIES)
      .meta({ description: 'The most entries to return.' }),
    before: someId.min(1).optional().meta({ description: 'The id of a delivery. Only older ones are returned.' }),
  }),
};

export const handler = defineEndpoint('list-alert-deliveries', accepts, async ({ caller, query }) => {
  const deliveries = await listDeliveries(resources.table(), caller.account.id, query);
  return jsonResponse<DeliveryListAnswer>(200, { data: deliveries.map(deliveryView) });
});

function deliveryView(delivery: AlertDelivery): DeliveryView {
  const { nextAtMs, deliveredAtMs } = delivery;
  return {
    id: delivery.id,
    type: delivery.type,
    channel: delivery.channel,
    set_on: delivery.ownerKind,
    owner_id: delivery.ownerId,
    text: delivery.text,
    state: delivery.state,
    attempts: delivery.attempts,
    reason: delivery.reason ?? null,
    created_at: isoTimeOf(delivery.createdAtMs),
    next_attempt_at: nextAtMs === undefined ? null : isoTimeOf(nextAtMs),
    delivered_at: deliveredAtMs === undefined ? null : isoTimeOf(deliveredAtMs),
  };
}

function isoTimeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
