/** Wraps requests for services that host Claude, which differ in path, headers, some fields, framing and features. */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import { rewritableParts, type ConvertiblePart } from '../../catalog/quirk-values.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { ClientHeaders, WireRequest } from '../wire.ts';
import { EventStreamFraming } from './event-stream-framing.ts';
import type { ToolNameRule } from '../translated/tool-names.ts';
import { SseFraming, type Framing } from './framing.ts';

type Body = Record<string, unknown> & { model?: unknown };

interface Envelope {
  /** Betas that this service accepts, unless the catalog lists others; absent if it accepts all. */
  betas?: readonly string[];
  /** Parts of a request that this service rejects, and that the gateway replaces or drops. */
  lacks?: readonly ConvertiblePart[];
  toolNames: ToolNameRule;
  /** @param client headers with all betas of the request, separated by a comma without spaces */
  wrap(body: Body, client: ClientHeaders): WireRequest;
  newFraming(): Framing;
}

const newSseFraming = () => new SseFraming();

const envelopes: Record<NonNullable<AnthropicQuirks['envelope']>, Envelope> = {
  none: {
    toolNames: 'messages',
    wrap: (body, client) => postMessages('/v1/messages', { ...body, stream: true }, client),
    newFraming: newSseFraming,
  },
  // Amazon Bedrock's InvokeModelWithResponseStream: betas are in the body, and the path selects streaming. Bedrock
  // rejected requests of Claude Code with betas that the model does not know, with fields that belong to such betas, or
  // with deferred tools (anthropics/claude-code issues 49370, 49648, 82549), and tool names of more than 64 characters
  // (tableau/tableau-mcp issue 494).
  'bedrock-invoke': {
    betas: [],
    lacks: rewritableParts,
    toolNames: 'any',
    wrap(body, client) {
      const { anthropicBeta: betas } = client;
      const wrapped = {
        ...withoutServiceFields(body),
        anthropic_version: 'bedrock-2023-05-31',
        ...(betas ? { anthropic_beta: betas.split(',') } : {}),
      };
      return {
        path: `/model/${encodeURIComponent(String(body.model))}/invoke-with-response-stream`,
        headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
        body: wellFormedJson(wrapped),
      };
    },
    newFraming: () => new EventStreamFraming(),
  },
  // Google Cloud's Vertex AI: the version is in the body, betas stay in their header, and events have Anthropic's form.
  'vertex-predict': {
    toolNames: 'messages',
    wrap(body, client) {
      const { anthropicBeta: betas } = client;
      return {
        // Google expects an unencoded @ before the version in a model's name.
        path: `/publishers/anthropic/models/${encodeURIComponent(String(body.model)).replaceAll('%40', '@')}:streamRawPredict`,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(betas ? { 'anthropic-beta': betas } : {}),
        },
        body: wellFormedJson({ ...withoutServiceFields(body), anthropic_version: 'vertex-2023-10-16', stream: true }),
      };
    },
    newFraming: newSseFraming,
  },
};

export function envelopeOf({ envelope }: AnthropicQuirks): Envelope {
  return envelopes[envelope ?? 'none'];
}

/** Returns a request with its betas in the anthropic-beta header. */
export function postMessages(path: string, body: unknown, client: ClientHeaders): WireRequest {
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

/** Removes fields that Bedrock and Google Cloud expect elsewhere, and options of Anthropic's own service. */
function withoutServiceFields(body: Body): Record<string, unknown> {
  const elsewhere = new Set(['model', 'stream', 'service_tier', 'speed', 'inference_geo']);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !elsewhere.has(field)));
}
