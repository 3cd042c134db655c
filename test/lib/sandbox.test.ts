import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorizeWithSigV4 } from '../../lambdas/providers/authorization/aws-sigv4.ts';
import { startSandbox, type SandboxUpstream } from '../../lib/local/sandbox/server.ts';
import { sendRaw, type RawAnswer } from '../support/raw-http.ts';

/** Sandbox without a gateway, which would hide the bytes and connections of the sandbox. */
let sandbox: SandboxUpstream;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

interface Request {
  url: string;
  body: object;
}

const messages = (content: string) => [{ role: 'user', content }];
const parts = (text: string) => [{ role: 'user', content: [{ text }] }];

const wires: Record<string, (prompt: string) => Request> = {
  anthropic: (prompt) => ({
    url: `${sandbox.anthropicUrl}/v1/messages`,
    body: { model: 'm', messages: messages(prompt) },
  }),
  chat: (prompt) => ({
    url: `${sandbox.chatUrl}/chat/completions`,
    body: { model: 'm', messages: messages(prompt) },
  }),
  responses: (prompt) => ({
    url: `${sandbox.responsesUrl}/responses`,
    body: { model: 'm', input: messages(prompt) },
  }),
  gemini: (prompt) => ({
    url: `${sandbox.geminiUrl}/models/m:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: 'user', parts: [{ text: prompt }] }] },
  }),
  converse: (prompt) => ({
    url: `${sandbox.bedrockUrl}/model/m/converse-stream`,
    body: { messages: parts(prompt) },
  }),
  invoke: (prompt) => ({
    url: `${sandbox.bedrockUrl}/model/m/invoke-with-response-stream`,
    body: { messages: messages(prompt) },
  }),
};

async function ask(wire: string, directives: string): Promise<IncomingMessage> {
  const { url, body } = wires[wire]!(`Hello\n@sandbox delay=0 ${directives}`);
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json' };
  const signature = await authorizeWithSigV4(sandbox.bedrockKey, { url, headers, body: bytes });
  const request = http.request(url, { method: 'POST', headers: { ...headers, ...signature } });
  request.end(bytes);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Returns the chunks of a response. An iterator would join waiting chunks. */
async function chunksOf(response: IncomingMessage): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(response, 'end');
  return chunks;
}

const isContinuation = (byte: number) => byte >= 0x80 && byte < 0xc0;

describe('an answer cut by the sandbox', () => {
  it.each(['anthropic', 'chat', 'responses', 'gemini', 'converse'])(
    'over %s comes in chunks that end inside of a character',
    async (wire) => {
      const chunks = await chunksOf(await ask(wire, 'cut'));

      const cuts = chunks.filter((chunk, index) => chunk.at(-1) === 0xd0 && isContinuation(chunks[index + 1]![0]!));
      expect(Buffer.concat(chunks).includes('Привет')).toBe(true);
      // No other text of the answer contains the byte 0xd0, so a letter of this word was cut.
      expect(cuts.length).toBeGreaterThanOrEqual(1);
    },
  );

  it('over invoke comes in chunks that end inside of a frame, because base64 hides the characters', async () => {
    const [first, second] = await chunksOf(await ask('invoke', 'cut'));

    expect(first!.length + second!.length).toBe(first!.readUInt32BE(0));
  });
});

/** Sends a request over a new connection. */
function talk(directives: string): Promise<RawAnswer> {
  const { url, body } = wires['chat']!(`Hello\n@sandbox ${directives}`);
  const lines = [`POST ${new URL(url).pathname} HTTP/1.1`, 'content-type: application/json'];
  return sendRaw(url, lines, JSON.stringify(body));
}

describe('a connection of the sandbox', () => {
  it.each(['reset', 'reset=0'])('is reset, and not closed: %s', async (directives) => {
    await expect(talk(directives)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is closed in the middle of an answer with "break"', async () => {
    const { status, body } = await talk('break');

    expect(status).toBe(200);
    expect(body).not.toContain('[DONE]');
  });
});

describe('a refusal of the sandbox', () => {
  const message = 'The sandbox was asked to answer with status 429';
  const wait = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };
  const openai = { error: { message, type: 'requests', param: null, code: 'rate_limit_exceeded' } };

  const throttling = {
    'x-amzn-errortype': expect.stringMatching(/^ThrottlingException:/) as string,
    'retry-after': '7',
  };

  it.each([
    ['anthropic', { type: 'error', error: { type: 'rate_limit_error', message } }, { 'retry-after': '7' }],
    ['chat', openai, { 'retry-after': '7' }],
    ['responses', openai, { 'retry-after': '7' }],
    ['gemini', { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details: [wait] } }, {}],
    ['converse', { message }, throttling],
    ['invoke', { message }, throttling],
  ])('over %s has the form of its provider, and states when to retry', async (wire, body, headers) => {
    const response = await ask(wire, 'error=429 retry-after=7');

    expect(response.statusCode).toBe(429);
    expect(response.headers).toMatchObject(headers);
    expect(await json(response)).toEqual(body);
  });
});
