import { Catalog, type Model } from '../../lambdas/catalog/catalog.ts';
import { factsOf, type MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { QuirksOf } from '../../lambdas/catalog/quirk-schemas.ts';
import type { RoutedRequest } from '../../lambdas/messages/preferences.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { messagesCandidates, type Candidate } from '../../lambdas/routing/candidates.ts';
import { requestedRoute } from '../../lambdas/routing/requested-route.ts';
import type { RoutingInput } from '../../lambdas/routing/usable-endpoints.ts';
import type { EndpointSignals } from '../../lambdas/routing/order.ts';
import { pricing } from './spending.ts';

/** Without data, every endpoint counts as healthy. */
export const quietSignals: EndpointSignals = { isFailing: () => false, speedOf: () => undefined };

/** Returns an endpoint with the given address, as routing gets it from the catalog. */
export function candidateAt(
  url: string,
  more: {
    model?: string;
    wire?: MessagesWireName;
    credential?: string;
    quirks?: QuirksOf<MessagesWireName>;
    timeouts?: { connect_ms?: number; first_byte_ms?: number; idle_ms?: number };
  } = {},
): Candidate {
  const { model = 'test/model', wire = 'anthropic', credential, quirks = {}, timeouts = {} } = more;
  const provider = { id: 'acme', name: 'Acme', baseUrl: url, data: { timeouts } };
  return {
    model: { id: model, data: { permaslug: model } } as Model,
    endpoint: {
      id: 'test/model/0',
      provider,
      wire,
      auth: factsOf(wire).auth,
      pricing,
      quirks,
    } as unknown as Candidate['endpoint'],
    pricing,
    held: { pricing, serviceCost: undefined },
    wire: messagesWire(wire)!,
    target: { providerId: 'acme', upstreamModel: 'm', maxOutputTokens: 1_000, supportedParameters: [], quirks },
    credential,
    isOnlyFirst: false,
  };
}

export function candidatesOf(
  model: Model,
  { fields = {}, ...more }: Partial<RoutingInput> & { fields?: Partial<RoutedRequest> } = {},
) {
  const request = { model: model.id, messages: [], ...fields };
  const route = requestedRoute(new Catalog([model], [], 'test'), request, { check: undefined });
  return messagesCandidates(route, {
    exclusionOf: () => undefined,
    signals: quietSignals,
    promptTokens: 10,
    ...more,
  });
}
