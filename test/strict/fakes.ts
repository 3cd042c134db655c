import type { Endpoint } from '../../lambdas/catalog/catalog.ts';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { anthropicFake, bedrockInvokeFake, vertexClaudeFake } from './anthropic.ts';
import { chatFakes, gigachatFake } from './chat.ts';
import { converseFake } from './converse.ts';
import { geminiFake, vertexGeminiFake } from './gemini.ts';
import { imitations } from './imitations.ts';
import { responsesFakes } from './responses.ts';
import type { StrictFake } from './rules.ts';

export function fakeOf({ wire, provider, quirks }: Endpoint): StrictFake | undefined {
  switch (wire) {
    case 'anthropic':
      if (provider.id === 'anthropic') return anthropicFake;
      if (provider.id === 'google-vertex-anthropic') return vertexClaudeFake;
      return (quirks as AnthropicQuirks).envelope === 'bedrock-invoke' ? bedrockInvokeFake : imitations[provider.id];
    case 'openai-chat':
      return provider.id === 'gigachat' ? gigachatFake : chatFakes[provider.id];
    case 'openai-responses':
      return responsesFakes[provider.id];
    case 'google-gemini':
      return provider.id === 'google-vertex' ? vertexGeminiFake : geminiFake;
    case 'bedrock-converse':
      return converseFake;
    default:
      return undefined;
  }
}
