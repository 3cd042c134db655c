/** Which strict fake stands for an endpoint of the catalog. */

import type { Endpoint } from '../../lambdas/catalog/catalog.ts';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { anthropicFake, bedrockInvokeFake, vertexClaudeFake } from './anthropic.ts';
import type { StrictFake } from './rules.ts';

export function fakeOf({ wire, provider, quirks }: Endpoint): StrictFake | undefined {
  if (provider.id === 'anthropic') return anthropicFake;
  if (provider.id === 'google-vertex-anthropic') return vertexClaudeFake;
  if (wire === 'anthropic' && (quirks as AnthropicQuirks).envelope === 'bedrock-invoke') return bedrockInvokeFake;
  return undefined;
}
