/**
 * Homes of Claude besides Anthropic's own. The Messages API is the same in each; what differs is what a request is put in,
 * and what the events of its answer come in.
 */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import { rewritableParts, type ConvertiblePart } from '../../catalog/quirk-values.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { ClientHeaders, WireRequest } from '../wire.ts';
import { EventStreamFraming } from './event-stream-framing.ts';
import { SseFraming, type Framing } from './framing.ts';

/** A request of the Messages API as it goes to Anthropic, not yet streamed. */
type Body = Record<string, unknown> & { model?: unknown; betas?: unknown };

interface Envelope {
  /** The only betas that this home takes, where the catalog says nothing; absent: all. */
  betas?: readonly string[];
  /** The parts of a request that this home does not take, and that can be said otherwise. */
  lacks?: readonly ConvertiblePart[];
  wrap(body: Body, client: ClientHeaders): WireRequest;
  newFraming(): Framing;
}

const newSseFraming = () => new SseFraming();

const envelopes: Record<NonNullable<AnthropicQuirks['envelope']>, Envelope> = {
  none: {
    wrap: (body, client) => postWithBetas('/v1/messages', { ...body, stream: true }, client),
    newFraming: newSseFraming,
  },
  // Amazon Bedrock's InvokeModelWithResponseStream: betas are in the body, and whether it streams is in the path.
  // Requests of Claude Code were refused for every other beta, for fields that betas bring, and for tools whose loading is
  // deferred (anthropics/claude-code issues 49370, 49648, 82549).
  'bedrock-invoke': {
    betas: ['interleaved-thinking-2025-05-14'],
    lacks: rewritableParts,
    wrap(body, client) {
      const betas = betasOf(body, client);
      const wrapped = {
        ...withoutTheirs(body),
        anthropic_version: 'bedrock-2023-05-31',
        ...(betas.length > 0 ? { anthropic_beta: betas } : {}),
      };
      return {
        path: `/model/${encodeURIComponent(String(body.model))}/invoke-with-response-stream`,
        headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
        body: wellFormedJson(wrapped),
      };
    },
    newFraming: () => new EventStreamFraming(),
  },
  // Google Cloud: the version is in the body, betas stay in their header, and events are as Anthropic sends them.
  'vertex-predict': {
    wrap(body, client) {
      const betas = betasOf(body, client);
      return {
        // Google writes the @ of a version as it is.
        path: `/publishers/anthropic/models/${encodeURIComponent(String(body.model)).replaceAll('%40', '@')}:streamRawPredict`,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}),
        },
        body: wellFormedJson({ ...withoutTheirs(body), anthropic_version: 'vertex-2023-10-16', stream: true }),
      };
    },
    newFraming: newSseFraming,
  },
};

export function envelopeOf({ envelope }: AnthropicQuirks): Envelope {
  return envelopes[envelope ?? 'none'];
}

/** Betas of a body are in the header, where Anthropic's own service and its SDKs have them. */
export function postWithBetas(path: string, { betas, ...body }: Body, client: ClientHeaders): WireRequest {
  return postJson(path, body, { ...client, anthropicBeta: betasOf({ betas }, client).join(',') || undefined });
}

function postJson(path: string, body: unknown, client: ClientHeaders): WireRequest {
  return {
    path,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': client.anthropicVersion,
      ...(client.anthropicBeta ? { 'anthropic-beta': client.anthropicBeta } : {}),
    },
    body: wellFormedJson(body),
  };
}

/** Those of the header and those of the body, each once. */
function betasOf({ betas }: Body, { anthropicBeta = '' }: ClientHeaders): string[] {
  return [...new Set([...betaNames(anthropicBeta), ...betaNames(((betas ?? []) as string[]).join(','))])];
}

/** The betas of a header. */
export function betaNames(header: string): string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Without what is elsewhere, and what only Anthropic's own service chooses by: the schema allows but its usual values. */
function withoutTheirs(body: Body): Record<string, unknown> {
  const elsewhere = new Set(['model', 'stream', 'betas', 'service_tier', 'speed', 'inference_geo']);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !elsewhere.has(field)));
}
