import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { factsOf, type MessagesWireName, type QuirksOf } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import type { Candidate } from '../../lambdas/routing/candidates.ts';
import { pricing } from './spending.ts';

/** An endpoint at an address of the test's own, as routing gets it from the catalog. */
export function candidateAt(
  url: string,
  more: {
    wire?: MessagesWireName;
    credential?: string;
    quirks?: QuirksOf<MessagesWireName>;
    timeouts?: { connect_ms?: number; first_byte_ms?: number; idle_ms?: number };
  } = {},
): Candidate {
  const { wire = 'anthropic', credential, quirks = {}, timeouts = {} } = more;
  const provider = { id: 'acme', name: 'Acme', baseUrl: url, data: { timeouts } };
  return {
    model: { id: 'test/model' } as Model,
    endpoint: { id: 'test/model/0', provider, wire, auth: factsOf(wire).auth, pricing, quirks } as unknown as Endpoint,
    pricing,
    wire: messagesWire(wire)!,
    target: { providerId: 'acme', upstreamModel: 'm', maxOutputTokens: 1_000, supportedParameters: [], quirks },
    credential,
  };
}
