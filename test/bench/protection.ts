/**
 * Measures the removal of sensitive data from a prompt and its restoration in an answer: `node bin/node24.mjs
 * test/bench/protection.ts`.
 */

import { readFileSync } from 'node:fs';
import type { AnswerEvent } from '../../lambdas/messages/types.ts';
import type { Sink } from '../../lambdas/platform/concurrency/sink.ts';
import { withOriginals } from '../../lambdas/protection/restored-answer.ts';
import { sensitiveCategories, type SensitiveData } from '../../lambdas/store/accounts/sensitive-data.ts';
import { protect } from '../support/protection.ts';

const PROMPT_BYTES = 100_000;
const ROUNDS = 60;
const CHUNKS = 100_000;

const settings: SensitiveData = {
  enabled: true,
  action: 'replace',
  categories: [...sensitiveCategories],
  dictionary: Array.from({ length: 200 }, (_, index) => ({ term: `Project Number ${index}`, substitute: 'it' })),
  restore: true,
};

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const cut = (...texts: string[]) => Buffer.from(texts.join('\n').repeat(50)).subarray(0, PROMPT_BYTES).toString();
const corpus = (...files: string[]) => files.map((file) => read(`test/protection/corpus/${file}.txt`)).join('\n');

/** Prompts, from prose with few values to a text with a value in each line. */
const prompts = {
  'English prose': cut(read('docs/architecture.md'), 'Write to ann@example.org.'),
  'Russian sentences, a value in each second': cut(corpus('values-ru', 'near-misses-ru').replaceAll(/⟦\w+ |⟧|·/g, '')),
  'source code': cut(read('lambdas/messages/schema.ts'), read('lambdas/accounting/meter.ts')),
  JSON: cut(read('package-lock.json')),
  'a value in each line': cut(corpus('values-en', 'values-ru').replaceAll(/⟦\w+ |⟧|·/g, '')),
};

async function medianMs(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    await run();
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[ROUNDS / 2]!;
}

console.info(`protecting ${PROMPT_BYTES / 1_000} kB, all categories, 200 terms:`);
for (const [name, content] of Object.entries(prompts)) {
  const request = { model: 'm', messages: [{ role: 'user' as const, content }] };
  const { originals } = await protect(request, settings);
  const ms = await medianMs(() => protect(request, settings));
  console.info(`  ${name}: ${ms.toFixed(1)} ms, ${originals?.size ?? 0} values`);
}

const tokenOf = (text: string): AnswerEvent => ({
  data: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  raw: Buffer.alloc(0),
});

/** Sends the tokens of an answer. A placeholder in two pieces follows after every 98 tokens. */
async function sendTokens(sink: Sink<AnswerEvent[]>): Promise<void> {
  await sink([{ data: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } }]);
  for (let count = 0; count < CHUNKS; count += 100) {
    for (let token = 0; token < 98; token += 1) await sink([tokenOf(' token')]);
    await sink([tokenOf(' to [EMA')]);
    await sink([tokenOf('IL_1]')]);
  }
}

async function microsecondsPerChunk(send: (sink: Sink<AnswerEvent[]>) => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await send(() => true);
  return ((performance.now() - startedMs) * 1_000) / CHUNKS;
}

const originals = new Map(Array.from({ length: 100 }, (_, index) => [`[EMAIL_${index + 1}]`, `a${index}@example.org`]));
for (let round = 0; round < 3; round += 1) {
  const plain = await microsecondsPerChunk(sendTokens);
  const restored = await microsecondsPerChunk((sink) => withOriginals(originals, sendTokens, sink));
  console.info(`restoring a streamed chunk: ${(restored - plain).toFixed(2)} µs more than ${plain.toFixed(2)}`);
}
