import { describe, expect, it } from 'vitest';
import type { AnswerEvent } from '../../lambdas/messages/types.ts';
import type { Sink } from '../../lambdas/platform/concurrency/sink.ts';
import { withOriginals } from '../../lambdas/protection/restored-answer.ts';
import { noSensitiveData, type SensitiveData } from '../../lambdas/store/accounts/sensitive-data.ts';
import { everything, prompt, protect } from '../support/protection.ts';

const mayGrow = { mayGrow: true };
const growing = (asked: string, settings: Partial<SensitiveData> = {}) =>
  protect(prompt(asked), { ...everything, ...settings }, mayGrow);

const said = (text: string): AnswerEvent => ({
  data: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
});

async function restored(originals: ReadonlyMap<string, string>, batches: Iterable<AnswerEvent[]>) {
  const got: AnswerEvent[] = [];
  const send = async (sink: Sink<AnswerEvent[]>) => {
    for (const batch of batches) await sink(batch);
  };
  await withOriginals(originals, send, (events) => got.push(...events) > 0);
  return got;
}

describe('text that is added to a conversation during an answer', () => {
  it('has known values under their placeholders, and new ones with the next numbers', async () => {
    const { protectMore } = await growing('ann@example.org');

    expect(protectMore('bob@example.org wrote to ann@example.org')).toBe('[EMAIL_2] wrote to [EMAIL_1]');
    expect(protectMore('203.0.113.7: eve@example.org, bob@example.org')).toBe('[IP_ADDRESS_1]: [EMAIL_3], [EMAIL_2]');
  });

  it('has known values replaced also without context, whichever text they were in', async () => {
    const { protectMore } = await growing('ИНН 7707083893');

    expect(protectMore('7707083893, паспорт 45 09 123458')).toBe('[INN_1], паспорт [PASSPORT_1]');
    expect(protectMore('45 09 123458')).toBe('[PASSPORT_1]');
  });

  it('has the substitutes of the dictionary', async () => {
    const { protectMore } = await growing('Hello', { dictionary: [{ term: 'Falcon', substitute: 'it' }] });

    expect(protectMore('FALCON is late, says ann@example.org')).toBe('it is late, says [EMAIL_1]');
  });

  it('has no foreign placeholder: similar text gets round brackets', async () => {
    const { protectMore } = await growing('ann@example.org');

    expect(protectMore('[EMAIL_1], [PHONE_7], [1], [EMAIL_x] of bob@example.org')).toBe(
      '(EMAIL_1), (PHONE_7), [1], [EMAIL_x] of [EMAIL_2]',
    );
  });

  it('never gets a number that the prompt already has', async () => {
    expect((await growing('What is [EMAIL_1]?')).protectMore('ann@example.org')).toBe('[EMAIL_2]');
  });

  it('is left out for a key that blocks, if a value is found in it', async () => {
    const { protectMore } = await growing('Hello', {
      action: 'block',
      dictionary: [{ term: 'Falcon', substitute: 'it' }],
    });

    expect(protectMore('Write to ann@example.org')).toBeUndefined();
    expect(protectMore('Falcon is late')).toBe('it is late');
  });

  it('is unchanged for a key without protection', async () => {
    const { protectMore, originals } = await protect(prompt('ann@example.org'), noSensitiveData, mayGrow);

    expect(protectMore('[EMAIL_1] is ann@example.org')).toBe('[EMAIL_1] is ann@example.org');
    expect(originals).toBeUndefined();
  });
});

describe('the restorer of placeholders for later text', () => {
  it('exists before any value is found, and grows', async () => {
    const { originals, protectMore } = await growing('Hello');
    const before = [...originals!];

    protectMore('ann@example.org');

    expect(before).toEqual([]);
    expect([...originals!]).toEqual([['[EMAIL_1]', 'ann@example.org']]);
  });

  it.each<Partial<SensitiveData>>([{ restore: false }, { action: 'block' }])(
    'does not exist if nothing will ever be restored: %j',
    async (settings) => {
      expect((await growing('Hello', settings)).originals).toBeUndefined();
    },
  );

  it('restores an answer that has begun, also in pieces', async () => {
    const { originals, protectMore } = await growing('ann@example.org');
    function* answer(): Generator<AnswerEvent[], void> {
      yield [{ data: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } }];
      yield ['[EMAIL_1] ', '[IP_'].map(said);
      protectMore('203.0.113.7');
      yield ['and [IP', '_ADDRESS_', '1]', ' [EMAIL_1', ']'].map(said);
      yield [{ data: { type: 'content_block_stop', index: 0 } }];
    }
    let got = '';

    for (const { data } of await restored(originals!, answer())) {
      if (data.type === 'content_block_delta') got += (data.delta as { text: string }).text;
    }

    expect(got).toBe('ann@example.org [IP_and 203.0.113.7 ann@example.org');
  });
});

it('an answer is restored also if its prompt has more values than a function call may have arguments', async () => {
  const values = new Map(Array.from({ length: 150_000 }, (_, index) => [`[EMAIL_${index + 1}]`, 'ann@example.org']));

  await expect(restored(values, [[said('[EMAIL_150000]')]])).resolves.toEqual([said('ann@example.org')]);
});
