/** Answers of mock providers, as bytes that are created once, to save CPU time. */

import { momentsOf, type WireWriter } from '../../lib/local/sandbox/answer.ts';
import { anthropicWriter } from '../../lib/local/sandbox/anthropic.ts';
import { converseWriter } from '../../lib/local/sandbox/bedrock.ts';
import { readDirectives } from '../../lib/local/sandbox/directives.ts';
import { geminiWriter } from '../../lib/local/sandbox/gemini.ts';
import { chatWriter } from '../../lib/local/sandbox/openai-chat.ts';
import { responsesWriter } from '../../lib/local/sandbox/openai-responses.ts';
import type { Script } from '../../lib/local/sandbox/script.ts';

export const writers: [path: RegExp, writer: (model: string) => WireWriter][] = [
  [/\/messages$/, anthropicWriter],
  [/\/chat\/completions$/, chatWriter],
  [/\/responses$/, responsesWriter],
  [/\/models\/([^:/]+):streamGenerateContent/, geminiWriter],
  [/\/model\/([^/]+)\/converse-stream$/, converseWriter],
];

export interface MockAnswer {
  contentType: string;
  /** Bytes before the first chunk. */
  opening: Buffer;
  chunks: Buffer[];
  closing: Buffer;
  whole: Buffer;
  everyMs: number;
}

const answers = new Map<string, MockAnswer>();

/** Returns the answer of a shape, "<chunks>x<milliseconds between them>". */
export function mockAnswer(writer: (model: string) => WireWriter, model: string): MockAnswer {
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
  const answer: MockAnswer = {
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
