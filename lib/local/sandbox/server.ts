import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicError, anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import { isSignedWith } from './aws-signature.ts';
import { bedrockError, converseWriter, invokeWriter, readConversePrompt, readInvokePrompt } from './bedrock.ts';
import { geminiCount, geminiError, geminiWriter, readGeminiPrompt } from './gemini.ts';
import { chatError, chatWriter, readChatPrompt } from './openai-chat.ts';
import { responsesError, responsesWriter } from './openai-responses.ts';
import { play, type WireWriter } from './player.ts';
import { readResponsesPrompt } from './responses-prompt.ts';
import { writeScript, type SandboxPrompt, type Script } from './script.ts';

/**
 * The upstream of the sandbox/… models: a server on loopback that speaks the providers' formats over real HTTP, so
 * that a newcomer without a provider key, and every test, runs the same code as production.
 */
export interface SandboxUpstream {
  anthropicUrl: string;
  chatUrl: string;
  geminiUrl: string;
  responsesUrl: string;
  bedrockUrl: string;
  /** An access key, `<id>:<secret>`: requests there have to be signed with it. */
  bedrockKey: string;
  stop: () => Promise<void>;
}

interface Wire {
  read: (request: never, betas?: string) => SandboxPrompt;
  writer: (model: string) => WireWriter;
  error: (status: number, message?: string) => object;
  /** How it answers to a question for the size of a prompt. */
  count?: (script: Script) => object;
}

const anthropic: Wire = {
  read: readAnthropicPrompt,
  writer: anthropicWriter,
  error: anthropicError,
  count: ({ inputTokens }) => ({ input_tokens: inputTokens }),
};
const chat: Wire = { read: readChatPrompt, writer: chatWriter, error: chatError };
const responses: Wire = { read: readResponsesPrompt, writer: responsesWriter, error: responsesError };
const gemini: Wire = { read: readGeminiPrompt, writer: geminiWriter, error: geminiError, count: geminiCount };
const converse: Wire = { read: readConversePrompt, writer: converseWriter, error: bedrockError };
const invoke: Wire = { read: readInvokePrompt, writer: invokeWriter, error: bedrockError };

/** What a path asks for. Where it names the model, the body does not. */
const routes: [path: RegExp, wire: Wire, method: 'answer' | 'count'][] = [
  [/^\/anthropic\/v1\/messages$/, anthropic, 'answer'],
  [/^\/anthropic\/v1\/messages\/count_tokens$/, anthropic, 'count'],
  [/^\/openai\/v1\/chat\/completions$/, chat, 'answer'],
  [/^\/openai\/v1\/responses$/, responses, 'answer'],
  [/^\/gemini\/v1beta\/models\/(?<model>[^:/]+):streamGenerateContent\?alt=sse$/, gemini, 'answer'],
  [/^\/gemini\/v1beta\/models\/(?<model>[^:/]+):countTokens$/, gemini, 'count'],
  [/^\/bedrock\/model\/(?<model>[^/]+)\/converse-stream$/, converse, 'answer'],
  [/^\/bedrock\/model\/(?<model>[^/]+)\/invoke-with-response-stream$/, invoke, 'answer'],
];

interface Asked {
  wire: Wire;
  method: 'answer' | 'count';
  model: string | undefined;
}

function askedFor(url: string): Asked | undefined {
  for (const [path, wire, method] of routes) {
    const match = path.exec(url);
    if (match) return { wire, method, model: match.groups?.['model'] };
  }
  return undefined;
}

export async function startSandbox(): Promise<SandboxUpstream> {
  const key = { id: 'SANDBOX', secret: randomBytes(24).toString('hex') };
  const server = createServer((request, response) => {
    answer(request, response, key).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    anthropicUrl: `${base}/anthropic`,
    chatUrl: `${base}/openai/v1`,
    geminiUrl: `${base}/gemini/v1beta`,
    responsesUrl: `${base}/openai/v1`,
    bedrockUrl: `${base}/bedrock`,
    bedrockKey: `${key.id}:${key.secret}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  key: { id: string; secret: string },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { url = '', method: verb = '', headers } = request;
  if (url.startsWith('/bedrock/') && !isSignedWith(key, { method: verb, url, headers, body: bytes })) {
    sendJson(response, 403, bedrockError(403, 'The request signature we calculated does not match'));
    return;
  }
  const asked = askedFor(url);
  if (!asked) {
    sendJson(response, 404, { error: { type: 'not_found_error', message: 'The sandbox has no such path' } });
    return;
  }
  const body = JSON.parse(bytes.toString('utf8')) as { model: string; generateContentRequest?: object };
  const { wire, method, model = body.model } = asked;
  if (method === 'count') {
    sendJson(response, 200, wire.count!(writeScript(wire.read((body.generateContentRequest ?? body) as never))));
    return;
  }
  const prompt = wire.read(body as never, String(headers['anthropic-beta'] ?? ''));
  if (prompt.refusal !== undefined) {
    sendJson(response, 400, wire.error(400, prompt.refusal));
    return;
  }
  const script = writeScript(prompt);
  if (script.directives.error !== undefined) {
    await sleep(script.directives.firstMs);
    sendJson(response, script.directives.error, wire.error(script.directives.error));
    return;
  }
  await play(script, wire.writer(model), response);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
