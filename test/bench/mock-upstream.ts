import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An upstream that costs as little as possible: Anthropic events from strings made once. The model's name says what to
 * send: "<chunks>x<milliseconds between them>", 0 for all at once. Prints its port and stays.
 */
const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const usage = { input_tokens: 42, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const opening =
  event({
    type: 'message_start',
    message: {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      model: 'bench',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  } as { type: string }) +
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as { type: string });
const chunk = event({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text: 'some words ' },
} as { type: string });
const closing = (tokens: number) =>
  event({ type: 'content_block_stop', index: 0 } as { type: string }) +
  event({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { ...usage, output_tokens: tokens },
  } as { type: string }) +
  event({ type: 'message_stop' });

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => (body += text));
  request.on('end', () => {
    const { model } = JSON.parse(body) as { model: string };
    const [chunks, everyMs] = model.split('x').map(Number) as [number, number];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (everyMs === 0) response.end(opening + chunk.repeat(chunks) + closing(chunks * 2));
    else pace(response, chunks, everyMs);
  });
});

function pace(response: ServerResponse, chunks: number, everyMs: number): void {
  let sent = 0;
  response.write(opening);
  const timer = setInterval(() => {
    if (sent === chunks || response.destroyed) {
      clearInterval(timer);
      response.end(closing(chunks * 2));
      return;
    }
    sent += 1;
    response.write(chunk);
  }, everyMs);
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
