import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const wires = ['anthropic', 'openai-chat', 'openai-responses', 'google-gemini', 'bedrock-converse'] as const;
export type WireName = (typeof wires)[number];

/** Shapes of answers: "<chunks>x<milliseconds between them>". */
export const shapes = ['10x0', '5x2', '100x20', '10x100'] as const;
export type Shape = (typeof shapes)[number];

const basePaths: Record<WireName, string> = {
  anthropic: '',
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'google-gemini': '/v1beta',
  'bedrock-converse': '/bedrock',
};

/** Prices of a token, in USD for other gateways and in RUB for this gateway. */
export interface Prices {
  prompt: number;
  completion: number;
}

export const defaultPrices: Prices = { prompt: 0.000_1, completion: 0.000_5 };

/** Credential for Bedrock; the mock does not check signatures. */
export const credentials = { BENCH_BEDROCK_KEY: 'BENCH:secret' };

/** Writes a catalog with one model of the mock for each wire and each shape of answer. */
export function writeCatalog(directory: string, upstreamUrl: string, prices = defaultPrices): void {
  const policy = { logs_prompts: false, trains_on_prompts: false };
  mkdirSync(join(directory, 'models'), { recursive: true });
  const providers = wires.map((wire) => ({
    id: `mock-${wire}`,
    name: `Mock ${wire}`,
    wire,
    base_url: `${upstreamUrl}${basePaths[wire]}`,
    data_policy: policy,
    ...(wire === 'bedrock-converse'
      ? { credential: 'BENCH_BEDROCK_KEY', auth: 'aws-sigv4', quirks: { family: 'claude' } }
      : {}),
  }));
  const models = wires.flatMap((wire) => shapes.map((shape) => modelOf(wire, shape, prices)));
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(directory, 'models', 'bench.json'), JSON.stringify({ models }));
}

function modelOf(wire: WireName, shape: Shape, { prompt, completion }: Prices): object {
  const id = `bench/${wire}-${shape}`;
  return {
    id,
    permaslug: id,
    name: id,
    created: '2026-11-20',
    context_length: 2_000_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: [
      {
        id,
        provider: `mock-${wire}`,
        upstream_model: shape,
        max_output_tokens: 10_000,
        pricing: { prompt: prompt.toFixed(6), completion: completion.toFixed(6) },
      },
    ],
  };
}
