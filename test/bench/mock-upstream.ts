import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicWriter } from '../../lib/local/sandbox/anthropic.ts';
import { mockAnswer, writers, type MockAnswer } from './mock-answers.ts';
/**
 * Upstream server for each message wire. To save CPU time, its streams are bytes of the sandbox's events that are
 * created once. The model's name selects the stream: "<chunks>x<milliseconds between them>", 0 for all at once. The
 * server prints its port and keeps running.
 */
const message = JSON.stringify({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'bench',
  content: [{ type: 'text', text: 'some words '.repeat(10) }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 42, output_tokens: 20 },
});

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on('data', (chunk: Buffer) => body.push(chunk));
  request.on('end', () => {
    const [, writer] = writers.find(([path]) => path.test(request.url!)) ?? [];
    const bytes = Buffer.concat(body);
    if (!writer || request.method !== 'POST') {
      process.stderr.write(`the mock has no ${request.method} ${request.url}\n`);
      response.writeHead(404).end();
      return;
    }
    const answer = mockAnswer(writer, modelIn(request.url!) ?? modelOf(bytes));
    // This gateway always streams; other gateways stream only if their client does.
    if (writer === anthropicWriter && !/"stream": ?true/.test(bytes.toString('latin1'))) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(message);
      return;
    }
    send(answer, response);
  });
});

function modelIn(url: string): string | undefined {
  return writers.map(([path]) => path.exec(url)?.[1]).find((model) => model !== undefined);
}

/** Returns the model of a body without parsing the body, because prompts may be large. */
function modelOf(body: Buffer): string {
  return /"model": ?"([^"]+)"/.exec(body.toString('latin1'))![1]!;
}

function send({ contentType, opening, chunks, closing, whole, everyMs }: MockAnswer, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': contentType });
  if (everyMs === 0) {
    response.end(whole);
    return;
  }
  let sent = 0;
  response.write(opening);
  const timer = setInterval(() => {
    if (sent === chunks.length || response.destroyed) {
      clearInterval(timer);
      response.end(closing);
      return;
    }
    response.write(chunks[sent]);
    sent += 1;
  }, everyMs);
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
