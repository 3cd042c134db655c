import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { withTokenizerMargin, countPromptTokens as countFor } from '../../lambdas/admission/prompt/local-count.ts';
import { countTexts } from '../../lambdas/admission/prompt/o200k.ts';

const run = promisify(execFile);

const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const exactly = (text: string) => countTokens(text, AS_TEXT);
const count = (text: string, vocabulary: 'o200k' | 'other' = 'o200k') => countTexts([text], vocabulary, Infinity)!;

const request = { owner: { account: 'account', key: 'key' }, clientLeft: undefined };
const countPromptTokens = (texts: Iterable<string>, tokenizer: Parameters<typeof countFor>[1]) =>
  countFor(texts, tokenizer, request);

const code = 'export function sum(a: number[]) {\n\treturn a.reduce((x, y) => x + y, 0); // 1_000.5\r\n}\n\n';
const russian = 'Съешь же ещё этих мягких французских булок, да выпей чаю: это стоит 1 234,50 ₽.\n';
const english = "The quick brown fox doesn't jump over the lazy dog; it's 12:30 on 2026-11-21.\n\n  ";

const letters = (length: number) =>
  Array.from({ length }, () => String.fromCodePoint(97 + Math.floor(Math.random() * 26))).join('');

/** Texts whose merging, cutting or normalization takes long for their length. */
const hostile: [string, string][] = [
  ['one letter', 'a'.repeat(100_000)],
  ['one word of random letters', letters(100_000)],
  ['the longest words that are merged', Array.from({ length: 500 }, () => letters(198)).join(' ')],
  ['spaces', ' '.repeat(100_000)],
  ['ligatures of eighteen letters', '\ufdfa'.repeat(50_000)],
  ['accents in the wrong order', `a${'\u0301\u0323'.repeat(50_000)}`],
  ['halves of characters', '\ud83d'.repeat(100_000)],
];

function* manyParts(): Generator<string> {
  for (let i = 0; i < 200_000; i += 1) yield `part ${i}`;
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

const collectGarbage = (() => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
})();

const longerForm = (text: string) => Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize('NFKC')));

// A request waits only briefly for a count, so the vocabulary must be loaded first.
beforeAll(() =>
  vi.waitUntil(async () => (await countPromptTokens(['Hello'], 'o200k')) !== undefined, { timeout: 60_000 }),
);

describe('a local token count', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'Hello'],
    ['English', english.repeat(100)],
    ['Russian', russian.repeat(100)],
    ['code', code.repeat(100)],
    ['Chinese', '人人生而自由,在尊严和权利上一律平等。'.repeat(100)],
    ['emoji', '😀 👩‍💻 🏳️‍🌈 ❤️ '.repeat(100)],
    ['text that looks like a control token', 'before <|endoftext|> after <|im_start|>system'],
    ['a byte order mark', '\ufeffname;value\r\n'],
    ['half a character', 'a \ud83d b \ude00 c'],
  ])('is exact for %s', async (_name, text) => {
    expect(await countPromptTokens([text], 'o200k')).toBe(exactly(text));
  });

  it.each([
    ['contractions', "she'll doesn'tknow,"],
    ['accents', 'हिन्दीभाषामें है।'],
    ['numbers', '123456 1,5 '],
    ['line ends', 'x=y;\r\n\n\t  }//!\n'],
    ['scripts', '漢字ABCdef ¿qué? да/\n'],
  ])('is exact at each cut of a long text: %s', (_name, part) => {
    for (let offset = 0; offset <= part.length; offset += 1) {
      const text = part.slice(offset) + part.repeat(400);

      expect(count(text)).toBe(exactly(text));
    }
  });

  it('is the sum over its texts', async () => {
    expect(await countPromptTokens(['Hello', russian, code], 'o200k')).toBe(
      exactly('Hello') + exactly(russian) + exactly(code),
    );
  });

  it('is never below the count of the vocabulary, and never above the bytes', () => {
    const part = fc.oneof(
      fc.constantFrom(english, russian, code, ' ', '\n', '\r\n', "'s", "'", '<|endoftext|>', '。', '\u0301', '\ufeff'),
      fc.constantFrom('😀', '👩‍💻', '🏳️‍🌈', '漢字', '𝐀', '½', 'Ａ１'),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc
        .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }), fc.nat(400))
        .map(([repeated, times]) => repeated.repeat(times)),
    );
    const texts = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(texts, (text) => {
        const counted = count(text);
        // The count uses the longer Unicode form of each word. The bound uses the longer form of each character, so it
        // is never lower.
        const bytes = Array.from(text).reduce((sum, character) => sum + longerForm(character), 0);
        expect(counted).toBeGreaterThanOrEqual(exactly(text));
        expect(counted).toBeLessThanOrEqual(bytes);
        expect(count(text, 'other')).toBeGreaterThanOrEqual(counted);
      }),
      { numRuns: 300 },
    );
  });

  it('is that of the longer form, the original text or its Unicode normal form', () => {
    const ligature = '\ufdfa ';
    const styled = '𝐀𝐁𝐂 ';

    expect(count(ligature)).toBe(exactly(ligature.normalize('NFKC')));
    expect(count(styled)).toBe(exactly(styled));
  });

  it('is the bytes of a word that is too long for merges', () => {
    expect(count('я'.repeat(1_000))).toBe(2_000);
  });

  it.each([
    ['digits', '1234567890 '.repeat(20), 200],
    ['Georgian', 'ყველა ადამიანი იბადება თავისუფალი. '.repeat(20), 1_800],
    ['line ends of two characters', 'ok\r\n'.repeat(20), 60],
  ])('assumes more tokens in other vocabularies for %s', (_name, text, atLeast) => {
    expect(count(text, 'other')).toBeGreaterThanOrEqual(atLeast);
    expect(count(text)).toBeLessThan(atLeast);
  });

  it('is at most 30 % higher in other vocabularies for Russian, English and code', () => {
    for (const text of [russian, english, code]) {
      expect(count(text, 'other')).toBeLessThanOrEqual(exactly(text) * 1.3);
    }
  });

  it('keeps no text in memory', () => {
    const text = Array.from({ length: 2_000 }, () => letters(150)).join(' ');
    count(english);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;

    count(text);

    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000);
  });

  it('stops at a maximum of text and time', async () => {
    const large = Array.from({ length: 3 }, () => 'a '.repeat(400_000));
    const slow = Array.from({ length: 10_000 }, () => letters(190)).join(' ');

    expect(await countPromptTokens(large, 'o200k')).toBeUndefined();
    expect(countTexts([slow], 'o200k', performance.now())).toBeUndefined();
  });
});

describe('during a local token count', () => {
  it.each(hostile)('other requests do not wait: %s', async (_name, text) => {
    await countPromptTokens(['the thread runs'], undefined);
    const before = { here: process.threadCpuUsage(), everywhere: process.cpuUsage() };

    await countPromptTokens([text], undefined);

    // Only computations of this thread delay other requests.
    expect(milliseconds(process.threadCpuUsage(before.here))).toBeLessThan(50);
    expect(milliseconds(process.cpuUsage(before.everywhere))).toBeLessThan(2_000);
  });

  it('other requests are answered while prompts with many parts are read', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);

    await countPromptTokens(manyParts(), undefined);

    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });

  it('other prompts are counted too', async () => {
    const counts = await Promise.all(Array.from({ length: 20 }, () => countPromptTokens([russian], 'o200k')));

    expect(counts).toEqual(counts.map(() => exactly(russian)));
  });
});

describe('a process with a counting thread', () => {
  it('ends after its work', async () => {
    const module = new URL('../../lambdas/admission/prompt/local-count.ts', import.meta.url).href;
    // The first count may take longer than a request waits for it.
    const program = `import { countPromptTokens } from '${module}';
      let count;
      while (count === undefined) count = await countPromptTokens(['Hello world'], 'o200k', ${JSON.stringify(request)});
      process.stdout.write(String(count));`;

    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { timeout: 60_000 });

    expect(stdout).toBe('2');
  });
});

describe('the hold after a local token count', () => {
  it('is 5 % above the count for this vocabulary, 100 % for Claude, and 50 % for others', () => {
    expect(withTokenizerMargin(1_000, 'o200k')).toBe(1_050);
    expect(withTokenizerMargin(1_000, undefined)).toBe(1_500);
    expect(withTokenizerMargin(1_000, 'claude')).toBe(2_000);
    expect(withTokenizerMargin(1, undefined)).toBe(2);
  });
});
