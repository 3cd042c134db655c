/** Provider of the drill: the sandbox, with prices at which a hold is only slightly above the cost of the answer. */

import { drillModel, drillProvider, writeDrillCatalog } from '../catalog.ts';

export const DRILL_MODEL = 'drill/exact';
/** Variable with the provider's address. */
export const PROVIDER_VARIABLE = 'DRILL_PROVIDER_URL';

/**
 * Answers are cut at `max_tokens`, so their hold is nearly their cost. Prompts are held by their bytes; the prompt
 * price is so low that the excess of sixty holds is far below the cost of one answer.
 */
const pricing = { prompt: '0.000001', completion: '0.002' };

export function writeExactCatalog(directory: string): void {
  const provider = drillProvider('exact', {
    base_url_variable: PROVIDER_VARIABLE,
    timeouts: { connect_ms: 10_000, first_byte_ms: 60_000, idle_ms: 60_000 },
  });
  const endpoint = {
    id: 'drill/exact',
    provider: 'exact',
    upstream_model: 'claude',
    max_output_tokens: 10_000,
    pricing,
  };
  writeDrillCatalog(directory, { providers: [provider], models: [drillModel(DRILL_MODEL, [endpoint])] });
}
