import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { protectTexts } from '../../lambdas/protection/protect-texts.ts';
import type { SensitiveData } from '../../lambdas/store/accounts/sensitive-data.ts';
import { entriesIn, repeated } from '../support/long-runs.ts';
import { everything, prompt, protect } from '../support/protection.ts';
import { refusedLater } from '../support/refused.ts';
import { lowestThreadCpuMs } from '../support/thread-cost.ts';

/** Maximum time in ms for which one request may block the event loop. */
const MAX_MS = 400;
/** Maximum length of a text that the gateway searches in its main thread. */
const AT_ONCE = 32 * 1024;
/** Length of a text that is slightly shorter than the largest body. */
const LONGEST = 5_900_000;

const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

/** Each term begins with the term before it. */
const nested = Array.from({ length: 100 }, (_, index) => ({ term: 'a '.repeat(index + 1).trim(), substitute: 'b' }));
const severe: SensitiveData = { ...everything, dictionary: nested };

/** Pieces that begin, continue or end a match of the rules. */
const pieces = [
  'password: "',
  'password ',
  'pass',
  'secret',
  'key',
  'api_key=',
  'token to ',
  'Bearer ',
  'sk-',
  'eyJ',
  'is ',
  'парол',
  'ключ ',
  'серия ',
  'паспорт ',
  'ИНН ',
  '45 09 ',
  '4111 1111 ',
  '+7 (',
  '(+',
  '1',
  '9 ',
  '.1',
  '10.',
  '::',
  'ab:',
  '@a.',
  'a@b.c',
  'a(a)',
  'https://a:',
  '-----BEGIN PRIVATE KEY-----',
  '[EMAIL_1]',
  'x_',
  '=>',
  '**',
  '"',
  '\\"',
  '`',
  '«',
  '(',
  '- ',
  '\n',
  '|',
  '\t',
  ';',
  'a ',
  '\u0301',
  '\u{1f600}',
];

describe('a text that is searched in the main thread', () => {
  it('takes little time, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(everything, severe),
        async (unit, settings) => {
          const texts = [{ text: filled(unit.join(''), AT_ONCE), kind: 'text' as const }];

          expect(await lowestThreadCpuMs(() => protectTexts({ texts, settings }), MAX_MS)).toBeLessThan(MAX_MS);
        },
      ),
      { numRuns: repeated(2_000, { ofWhichAlways: 30 }) },
    );
  });
});

const emails = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@b.co`).join(' ');

describe('a long prompt', () => {
  // Timers are simulated: on a slow machine, a search could time out, and its result would not be read.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const longest: [string, () => MessagesRequest][] = [
    ['of words', () => prompt(filled('Lorem ipsum dolor sit amet. ', LONGEST))],
    ['of values', () => prompt(filled('ann@example.org ', LONGEST))],
    ['of as many different values as may be', () => prompt(filled(`${emails(50_000)} `, LONGEST))],
    ['of passwords within quotes', () => prompt(filled('password: "', LONGEST))],
    ['of terms within terms', () => prompt(filled('a ', LONGEST))],
    [
      'of texts',
      () => ({ ...prompt(''), system: Array.from({ length: 45_000 }, () => ({ type: 'text', text: 'x' })) }),
    ],
  ];
  it.each(entriesIn(longest, { ofWhichAlways: 3 }))(
    '%s blocks the event loop only for a moment',
    async (_what, write) => {
      const request = write();

      expect(await lowestThreadCpuMs(() => protect(request, severe), MAX_MS)).toBeLessThan(MAX_MS);
    },
    120_000,
  );

  it('is protected like a short prompt', async () => {
    const request = prompt(`${filled('word ', AT_ONCE)} ann@example.org`, { system: 'Falcon, ann@example.org' });
    const dictionary = [{ term: 'falcon', substitute: 'it' }];

    const { message, originals, protectMore } = await protect(
      request,
      { ...everything, dictionary },
      { mayGrow: true },
    );

    expect(message.system).toBe('it, [EMAIL_1]');
    expect((message.messages[0]!.content as string).slice(AT_ONCE)).toBe(' [EMAIL_1]');
    expect(protectMore('bob@example.org, ann@example.org, FALCON')).toBe('[EMAIL_2], [EMAIL_1], it');
    expect([...originals!.values()]).toEqual(['ann@example.org', 'bob@example.org']);
  });

  it('is refused by its field like a short prompt', async () => {
    const long = prompt(filled('word ', AT_ONCE + 1), { tools: [{ name: 'ann@example.org' }] });

    const unchangeable = await refusedLater(() => protect(long, everything));
    const blocked = await refusedLater(() => protect(long, { ...everything, action: 'block' }));

    expect([unchangeable, blocked]).toMatchObject([
      { status: 400, metadata: { field: 'tools.0.name' } },
      { status: 400, metadata: { field: 'tools.0.name', category: 'email' } },
    ]);
  });

  it('is refused with too many different values', async () => {
    const error = await refusedLater(() => protect(prompt(emails(50_001)), everything));

    expect(error).toMatchObject({ status: 400, metadata: { field: 'messages.0.content' } });
    expect(error.message).toContain('maximum of 50000 different protected values');
  });
});
