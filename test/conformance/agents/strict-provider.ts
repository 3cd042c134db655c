/**
 * Local server that stands in for the providers of the shipped catalog. Each request for an answer must pass the strict
 * fake (a checker of the provider's rules) of its endpoint, and fit into the context.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Endpoint } from '../../../lambdas/catalog/catalog.ts';
import type { Wire } from '../../../lambdas/catalog/wires.ts';
import { momentsOf, type WireEvent } from '../../../lib/local/sandbox/answer.ts';
import { readDirectives } from '../../../lib/local/sandbox/directives.ts';
import type { SandboxPrompt } from '../../../lib/local/sandbox/prompt.ts';
import type { Script } from '../../../lib/local/sandbox/script.ts';
import { sendJson } from '../../../lib/local/sandbox/send-json.ts';
import { type SandboxWire, wireRequestFor } from '../../../lib/local/sandbox/wires.ts';
import { CLAUDES_SIGNATURE } from '../../strict/anthropic.ts';
import { fakeOf } from '../../strict/fakes.ts';
import { loadShippedCatalog } from '../../support/catalog.ts';
import { listen, type Listening } from '../../support/listen.ts';
import { overflowEvents, overflowMessage } from './overflow-errors.ts';

export interface Turn {
  thinking?: string;
  text?: string;
  calls?: { name: string; input: object }[];
  /** Whether the connection breaks within the last block. */
  breaks?: boolean;
}

export interface Session {
  /** Returns the maximum number of tokens of this prompt. The model refuses a longer prompt. */
  maxTokens: (prompt: SandboxPrompt) => number;
  /** Answer to the next prompt that fits. */
  turn: (prompt: SandboxPrompt) => Turn;
}

export interface SessionLog {
  answered: SandboxPrompt[];
  /** Tokens of each prompt that was too long. */
  overflows: number[];
  /** Messages of the strict fakes about requests that they refused. */
  refusals: string[];
}

export interface StrictProvider extends Listening {
  begin: (session: Session) => SessionLog;
}

const CHARACTERS_PER_TOKEN = 4;
/** Time in which the last output arrives before the connection breaks. */
const BREAK_MS = 50;

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);

export async function startStrictProvider(): Promise<StrictProvider> {
  let session: Session | undefined;
  let log: SessionLog = { answered: [], overflows: [], refusals: [] };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.refusals.push(`the fake itself has failed: ${String(error)}`);
      response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await bytesOf(request)).toString('utf8');
    const { endpoint, wire, path, isCount } = placeOf(request.url!, body);
    const tokens = Math.ceil(body.length / CHARACTERS_PER_TOKEN);
    const refuse = (words: string) => sendJson(response, 400, wire.refusal(400, words), wire.refusalHeaders(400));
    if (isCount) {
      sendJson(response, 200, wire.count!(scriptOf({}, tokens)));
      return;
    }
    const refusals = fakeOf(endpoint)!.refusals({ path, headers: headersOf(request), body }, endpoint.upstreamModel);
    if (refusals.length > 0) {
      log.refusals.push(...refusals);
      refuse(refusals.join('; '));
      return;
    }
    const prompt = wire.read(JSON.parse(body) as never);
    const maxTokens = session!.maxTokens(prompt);
    if (tokens > maxTokens) {
      log.overflows.push(tokens);
      if (endpoint.wire === 'openai-responses') writeEvents(response, wire.writer('m').framing, overflowEvents());
      else refuse(overflowMessage(endpoint, { tokens, maxTokens }));
      return;
    }
    log.answered.push(prompt);
    writeTurn(response, wire.writer(endpoint.upstreamModel), session!.turn(prompt), tokens);
  }

  return {
    ...(await listen(server)),
    begin: (next) => {
      session = next;
      log = { answered: [], overflows: [], refusals: [] };
      return log;
    },
  };
}

export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const sandboxPaths: Partial<Record<Wire, string>> = {
  anthropic: '/anthropic',
  'openai-chat': '/openai/v1',
  'openai-responses': '/openai/v1',
  'google-gemini': '/gemini/v1beta',
  'bedrock-converse': '/bedrock',
};
/** Matches the model in a path of Google or Amazon. */
const MODEL_IN_PATH = /\/models?\/([^/]+?)(?::\w+|\/[\w-]+)(?:\?.*)?$/;

interface Place {
  endpoint: Endpoint;
  wire: SandboxWire;
  /** Path below the address of the provider. */
  path: string;
  isCount: boolean;
}

function placeOf(url: string, body: string): Place {
  const [, provider, path = ''] = /^\/([\w-]+)(\/.*)$/.exec(url) ?? [];
  const named = MODEL_IN_PATH.exec(path)?.[1];
  const model = named === undefined ? (JSON.parse(body) as { model: string }).model : decodeURIComponent(named);
  const endpoint = endpoints.find((one) => one.provider.id === provider && one.upstreamModel === model);
  const isAtBedrock = path.startsWith('/model/');
  const asked = endpoint && wireRequestFor(`${sandboxPaths[isAtBedrock ? 'bedrock-converse' : endpoint.wire]}${path}`);
  if (!asked) throw new Error(`no endpoint has the address ${url}`);
  return { endpoint, wire: asked.wire, path, isCount: asked.method === 'count' };
}

function scriptOf({ thinking, text, calls = [] }: Turn, inputTokens: number): Script {
  const blocks: Script['blocks'] = [];
  if (thinking !== undefined) blocks.push({ kind: 'thinking', pieces: [thinking] });
  if (text !== undefined) blocks.push({ kind: 'text', pieces: [text] });
  for (const { name, input } of calls) blocks.push({ kind: 'tool', name, pieces: [JSON.stringify(input)] });
  const characters = blocks.reduce((sum, { pieces }) => sum + pieces.join('').length, 0);
  return {
    directives: readDirectives(''),
    blocks,
    end: calls.length > 0 ? 'tools' : 'end',
    stopSequence: undefined,
    inputTokens,
    outputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    hiddenReasoningTokens: 0,
  };
}

type Writer = ReturnType<SandboxWire['writer']>;

function writeTurn(response: ServerResponse, writer: Writer, turn: Turn, tokens: number): void {
  const moments = momentsOf(scriptOf(turn, tokens), writer);
  if (!turn.breaks) {
    writeEvents(
      response,
      writer.framing,
      moments.flatMap(({ events }) => events),
    );
    return;
  }
  response.writeHead(200, { 'content-type': writer.framing.contentType });
  const said = moments.filter(({ part }) => part !== 'stop' && part !== 'closing').flatMap(({ events }) => events);
  for (const event of said) response.write(writer.framing.encode(event));
  setTimeout(() => response.destroy(), BREAK_MS);
}

function writeEvents(response: ServerResponse, { contentType, encode }: Writer['framing'], events: WireEvent[]): void {
  response.writeHead(200, { 'content-type': contentType });
  for (const event of events) response.write(encode(withOwnSeal(event)));
  response.end();
}

/** Replaces the signatures of thinking by signatures that the strict fakes accept. */
function withOwnSeal(event: WireEvent): WireEvent {
  if (typeof event === 'string') return event;
  const sealed = JSON.stringify(event)
    .replaceAll('"encrypted_content":"', '"encrypted_content":"own-')
    .replaceAll(/"signature":"[^"]+"/g, `"signature":"${CLAUDES_SIGNATURE}"`);
  return JSON.parse(sealed) as WireEvent;
}
