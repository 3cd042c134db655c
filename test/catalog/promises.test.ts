import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

/** Request that uses a listed feature, and the text that the provider's request must then contain. */
interface Promised {
  request: Partial<MessagesRequest>;
  leaves: string;
}

const tools = [{ name: 'weather', input_schema: { type: 'object', properties: {} } }];
const content = (block: Record<string, unknown> & { type: string }): Partial<MessagesRequest> => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, block] }],
});
const base64 = (mediaType: string, data: string) => ({ source: { type: 'base64', media_type: mediaType, data } });

const inputs: Record<string, Promised> = {
  text: { request: {}, leaves: 'Hello' },
  image: { request: content({ type: 'image', ...base64('image/png', 'UElDVFVSRQ==') }), leaves: 'UElDVFVSRQ==' },
  file: {
    request: content({ type: 'document', ...base64('application/pdf', 'RE9DVU1FTlQ=') }),
    leaves: 'RE9DVU1FTlQ=',
  },
  audio: { request: content({ type: 'audio', ...base64('audio/wav', 'UkVDT1JESU5H') }), leaves: 'UkVDT1JESU5H' },
  // MiniMax supports this block type.
  video: {
    request: content({ type: 'video', source: { type: 'url', url: 'https://a.example/film.mp4' } }),
    leaves: 'film.mp4',
  },
};

const parameters: Record<string, Promised> = {
  max_tokens: { request: { max_tokens: 77 }, leaves: '77' },
  temperature: { request: { temperature: 0.31 }, leaves: '0.31' },
  top_p: { request: { top_p: 0.32 }, leaves: '0.32' },
  top_k: { request: { top_k: 33 }, leaves: '33' },
  frequency_penalty: { request: { frequency_penalty: 0.34 }, leaves: '0.34' },
  presence_penalty: { request: { presence_penalty: 0.35 }, leaves: '0.35' },
  repetition_penalty: { request: { repetition_penalty: 1.36 }, leaves: '1.36' },
  seed: { request: { seed: 424_242 }, leaves: 'seed":424242' },
  min_p: { request: { min_p: 0.37 }, leaves: '"min_p":0.37' },
  logit_bias: { request: { logit_bias: { 4711: 5 } }, leaves: '"logit_bias":{"4711":5}' },
  logprobs: { request: { logprobs: true }, leaves: 'ogprobs"' },
  top_logprobs: { request: { logprobs: true, top_logprobs: 4 }, leaves: 'logprobs":4' },
  verbosity: { request: { verbosity: 'high' }, leaves: '"verbosity":"high"' },
  stop: { request: { stop_sequences: ['HALT'] }, leaves: 'HALT' },
  tools: { request: { tools }, leaves: 'weather' },
  structured_outputs: {
    request: { output_config: { format: { type: 'json_schema', schema: { type: 'object', title: 'Shape' } } } },
    leaves: 'Shape',
  },
  reasoning: { request: { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 4_000 }, leaves: 'Hello' },
};
parameters['response_format'] = parameters['structured_outputs']!;
parameters['include_reasoning'] = parameters['reasoning']!;

const forced: Promised[] = [
  { request: { tools, tool_choice: { type: 'any' } }, leaves: 'tool_choice' },
  { request: { tools, tool_choice: { type: 'tool', name: 'weather' } }, leaves: 'weather' },
];

function encodes(model: Model, endpoint: Endpoint, { request, leaves }: Promised): boolean {
  const target = {
    providerId: endpoint.provider.id,
    upstreamModel: endpoint.upstreamModel,
    maxOutputTokens: endpoint.maxOutputTokens,
    supportedParameters: endpoint.supportedParameters,
    inputModalities: endpoint.inputModalities,
    quirks: endpoint.quirks,
  };
  const whole = {
    model: model.id,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Hello' }],
    ...request,
  };
  try {
    const { path, body } = messagesWire(endpoint.wire)!.encode(whole, target, client);
    return `${path} ${body}`.includes(leaves);
  } catch {
    return false;
  }
}

/** Turns thinking off, because some models accept sampling only without thinking. */
const quietly = ({ request, leaves }: Promised): Promised => ({
  request: { thinking: { type: 'disabled' }, ...request },
  leaves,
});

const keeps = (model: Model, promise: Promised) =>
  model.endpoints.some(
    (endpoint) => endpoint.pricing && (encodes(model, endpoint, promise) || encodes(model, endpoint, quietly(promise))),
  );

const models = loadShippedCatalog().models.filter(
  ({ id, data, aliasOf }) => data.output_modalities.includes('text') && !aliasOf && !id.startsWith('sandbox/'),
);

describe('the capabilities of a model in the catalog', () => {
  it('have a test each', () => {
    const made = new Set(models.flatMap(({ data }) => [...data.input_modalities, ...data.supported_parameters]));
    const tested = new Set([...Object.keys(inputs), ...Object.keys(parameters), 'tool_choice']);
    expect([...made].filter((promise) => !tested.has(promise))).toEqual([]);
  });

  it.each(Object.entries(inputs))('are accepted by the schema of requests: %s', (_kind, { request }) => {
    const body = { model: 'a/b', messages: [{ role: 'user', content: 'Hello' }], ...request };

    expect(messagesRequestSchema.safeParse(body).success).toBe(true);
  });

  it.each(models)('are encoded by at least one endpoint of $id', (model) => {
    const { input_modalities: kinds, supported_parameters: names } = model.data;
    const broken = [
      ...kinds.filter((kind) => inputs[kind] && !keeps(model, inputs[kind])),
      ...names.filter((name) => parameters[name] && !keeps(model, parameters[name])),
      ...(names.includes('tool_choice') && !forced.some((promise) => keeps(model, promise)) ? ['tool_choice'] : []),
    ];
    expect(broken).toEqual([]);
  });
});
