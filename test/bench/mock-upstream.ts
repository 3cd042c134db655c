import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { momentsOf, type WireWriter } from '../../lib/local/sandbox/answer.ts';
import { anthropicWriter } from '../../lib/local/sandbox/anthropic.ts';
import { converseWriter } from '../../lib/local/sandbox/bedrock.ts';
import { readDirectives } from '../../lib/local/sandbox/directives.ts';
import { geminiWriter } from '../../lib/local/sandbox/gemini.ts';
import { chatWriter } from '../../lib/local/sandbox/openai-chat.ts';
import { responsesWriter } from '../../lib/local/sandbox/openai-responses.ts';
import type { Script } from '../../lib/local/sandbox/script.ts';

/**
 * Upstream server for every wire that costs as little CPU as possible: the sandbox's events, from bytes that are
 * created once. The model's name selects the answer: "<chunks>x<milliseconds between them>", 0 for all at once. It
 * prints its port and keeps running.
 */
const writers: [path: RegExp, writer: (model: string) => WireWriter][] = [
  [/\/messages$/, anthropicWriter],
  [/\/chat\/completions$/, chatWriter],
  [/\/responses$/, responsesWriter],
  [/\/models\/([^:/]+):streamGenerateContent/, geminiWriter],
  [/\/model\/([^/]+)\/converse-stream$/, converseWriter],
];

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

interface Answer {
  contentType: string;
  /** Bytes before the first chunk, then the chunks, then the bytes after the last chunk. */
  opening: Buffer;
  chunks: Buffer[];
  closing: Buffer;
  whole: Buffer;
  everyMs: number;
}

const answers = new Map<string, Answer>();

function answerTo(writer: (model: string) => WireWriter, model: string): Answer {
  const name = `${writer.name} ${model}`;
  const known = answers.get(name);
  if (known) return known;
  const [chunks, everyMs] = model.split('x').map(Number) as [number, number];
  const script: Script = {
    directives: readDirectives(''),
    blocks: [{ kind: 'text', pieces: Array.from({ length: chunks }, () => 'some words ') }],
    end: 'end',
    inputTokens: 42,
    outputTokens: chunks * 2,
    hiddenReasoningTokens: 0,
    stopSequence: undefined,
  };
  const { framing, ...wire } = writer(model);
  const moments = momentsOf(script, { framing, ...wire });
  const bytesOf = (part: typeof moments) =>
    Buffer.concat(part.flatMap(({ events }) => events.map((event) => framing.encode(event))));
  const first = moments.findIndex(({ part }) => part === 'piece');
  const pieces = moments.filter(({ part }) => part === 'piece');
  const answer: Answer = {
    contentType: framing.contentType,
    opening: bytesOf(moments.slice(0, first)),
    chunks: pieces.map((piece) => bytesOf([piece])),
    closing: bytesOf(moments.slice(first + pieces.length)),
    whole: bytesOf(moments),
    everyMs,
  };
  answers.set(name, answer);
  return answer;
}

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on('data', (chunk: Buffer) => body.push(chunk));
  request.on('end', () => {
    const [, writer] = writers.find(([path]) => path.test(request.url!))!;
    const bytes = Buffer.concat(body);
    const answer = answerTo(writer, modelIn(request.url!) ?? modelOf(bytes));
    // The gateway always streams. Other gateways stream only if their client does.
    if (writer === anthropicWriter && !bytes.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(message);
      return;
    }
    send(answer, response);
  });
});

function modelIn(url: string): string | undefined {
  return writers.map(([path]) => path.exec(url)?.[1]).find((model) => model !== undefined);
}

/** Returns the model in a body. Its position differs between APIs, and large prompts are not parsed for it. */
function modelOf(body: Buffer): string {
  return /"model":"([^"]+)"/.exec(body.toString('latin1'))![1]!;
}

function send({ contentType, opening, chunks, closing, whole, everyMs }: Answer, response: ServerResponse): void {
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
