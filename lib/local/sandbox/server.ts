import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicError, anthropicWriter, readAnthropicPrompt } from './anthropic.ts';
import { chatError, chatWriter, readChatPrompt } from './openai-chat.ts';
import { responsesError, responsesWriter } from './openai-responses.ts';
import { play, type WireWriter } from './player.ts';
import { readResponsesPrompt } from './responses-prompt.ts';
import { writeScript, type SandboxPrompt } from './script.ts';

/**
 * The upstream of the sandbox/… models: a server on loopback that speaks the providers' formats over real HTTP, so
 * that a newcomer without a provider key, and every test, runs the same code as production.
 */
export interface SandboxUpstream {
  anthropicUrl: string;
  chatUrl: string;
  responsesUrl: string;
  stop: () => Promise<void>;
}

interface Wire {
  read: (request: never, betas?: string) => SandboxPrompt;
  writer: (model: string) => WireWriter;
  error: (status: number, message?: string) => object;
}

const wires: Record<string, Wire> = {
  '/anthropic/v1/messages': { read: readAnthropicPrompt, writer: anthropicWriter, error: anthropicError },
  '/openai/v1/chat/completions': { read: readChatPrompt, writer: chatWriter, error: chatError },
  '/openai/v1/responses': { read: readResponsesPrompt, writer: responsesWriter, error: responsesError },
};

export async function startSandbox(): Promise<SandboxUpstream> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    anthropicUrl: `${base}/anthropic`,
    chatUrl: `${base}/openai/v1`,
    responsesUrl: `${base}/openai/v1`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string };
  if (request.url === '/anthropic/v1/messages/count_tokens') {
    const { inputTokens } = writeScript(readAnthropicPrompt(body as never));
    sendJson(response, 200, { input_tokens: inputTokens });
    return;
  }
  const wire = wires[request.url ?? ''];
  if (!wire) {
    sendJson(response, 404, { error: { type: 'not_found_error', message: 'The sandbox has no such path' } });
    return;
  }
  const prompt = wire.read(body as never, String(request.headers['anthropic-beta'] ?? ''));
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
  await play(script, wire.writer(body.model), response);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
