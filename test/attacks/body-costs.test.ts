import { describe, expect, it } from 'vitest';
import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import { parseWith, readRequestJson } from '../../lambdas/http/parse.ts';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { messagesJson, messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import { largeBodies } from '../support/large-bodies.ts';
import { entriesIn } from '../support/long-runs.ts';

/**
 * Maximum CPU milliseconds for one stage of a request. A cost that grew with the square of the size would be far
 * higher.
 */
const MAX_MS = 1_000;
const MAX_BYTES = 150 * 1024 * 1024;
const ROUNDS = 3;

const target = {
  providerId: 'test',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters: ['stop', 'tools', 'reasoning', 'structured_outputs'],
  quirks: { count_tokens: true },
};
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

/** Functions that process a body, up to the request to a provider. */
const ways = {
  'the Anthropic wire': (body: string) => anthropicWire.encode(parsed(body), target, client).body,
  'the chat wire': (body: string) => openaiChatWire.encode(parsed(body), { ...target, quirks: {} }, client).body,
  admission: (body: string) => JSON.stringify(measurePrompt(parsed(body))),
  'a count of tokens': (body: string) => anthropicWire.encodeCount(parsed(body), target, client)!.body,
};

function parsed(body: string) {
  const request = { headers: {}, body } as unknown as HttpRequest;
  return parseWith(messagesRequestSchema, readRequestJson(request, messagesJson));
}

/** Runs a stage, and returns its result. A refusal is a valid result; any other error is a fault of the gateway. */
function go(way: (body: string) => string, body: string): string {
  try {
    return way(body);
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return error.message;
    throw error;
  }
}

interface Cost {
  /** CPU time of this thread. */
  ms: number;
  bytes: number;
}

function costOnce(way: (body: string) => string, body: string): Cost {
  const before = process.memoryUsage();
  const cpuBefore = process.threadCpuUsage();
  go(way, body);
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const after = process.memoryUsage();
  return {
    ms: (user + system) / 1_000,
    bytes: Math.max(after.heapUsed - before.heapUsed, after.rss - before.rss),
  };
}

const isLow = ({ ms, bytes }: Cost) => ms < MAX_MS && bytes < MAX_BYTES;

/** Returns the cost of the cheapest round, because a round may include garbage collection for other tests. */
function costOf(way: (body: string) => string, body: string): Cost {
  let cost = costOnce(way, body);
  for (let round = 1; round < ROUNDS && !isLow(cost); round += 1) cost = costOnce(way, body);
  return cost;
}

describe('a request with a large body', () => {
  it.each(entriesIn(largeBodies, { ofWhichAlways: 20 }))(
    'takes little time and memory at each stage: %s',
    (_name, write) => {
      const body = `{"model":"sandbox/gpt",${write()}}`;
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(6 * 1024 * 1024);
      for (const [name, way] of Object.entries(ways)) {
        const cost = costOf(way, body);
        expect(cost, name).toSatisfy(isLow);
      }
    },
  );

  it('is accepted for some of the bodies, so that all stages are measured', () => {
    const outcomes = ['messages, as many as may be', 'blocks', 'tools', 'a text'].map((name) => {
      const [, write] = largeBodies.find(([other]) => other === name)!;
      return go(ways['the chat wire'], `{"model":"sandbox/gpt",${write()}}`).slice(0, 14);
    });
    expect(new Set(outcomes)).toEqual(new Set(['{"model":"up",']));
  });
});
