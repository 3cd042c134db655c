import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt } from '../../lambdas/search/excerpt.ts';

const tower = [
  'Эйфелева башня стоит на Марсовом поле в Париже.',
  'Её высота вместе с антеннами составляет 330 метров.',
  'Башню построили к Всемирной выставке 1889 года, и сначала её хотели разобрать через двадцать лет.',
].join(' ');

const long = `The museum keeps ${'old paintings and drawings, '.repeat(8)}and in its last room the famous golden clock of Prague, which still works.`;

describe('an excerpt', () => {
  it.each([
    [
      'the sentence with the same meaning',
      tower,
      'В высоту она достигает 330 м с антенной',
      'Её высота вместе с антеннами составляет 330 метров.',
    ],
    [
      'found for any case and ending of words',
      tower,
      'ПАРИЖСКОЕ МАРСОВО',
      'Эйфелева башня стоит на Марсовом поле в Париже.',
    ],
    [
      'several sentences if each has a part of it',
      tower,
      'Марсово поле, 330 метров',
      'Эйфелева башня стоит на Марсовом поле в Париже. Её высота вместе с антеннами составляет 330 метров.',
    ],
    ['the first of equally good sentences', 'Cats sleep. Cats purr.', 'cats', 'Cats sleep.'],
    ['a line', 'Heading\nParis is big\nRome is old', 'Rome', 'Rome is old'],
    [
      'a sentence of a script without blanks',
      '东京是日本的首都。3776米是富士山的高度。',
      '富士山高3776米',
      '3776米是富士山的高度。',
    ],
    [
      'the start of the text without a match',
      tower,
      'cats',
      'Эйфелева башня стоит на Марсовом поле в Париже. Её высота вместе с антеннами составляет 330 метров.',
    ],
    ['nothing of nothing', ' \n ', 'cats', ''],
  ])('is %s', (_, source, claim, expected) => {
    expect(excerpt(source, claim)).toBe(expected);
  });

  it('is cut from a sentence that is too long', () => {
    const quoted = excerpt(long, 'the golden clock of Prague');

    expect(quoted).toMatch(/^\.\.\..*famous golden clock of Prague, which still works\.$/);
    expect(quoted.length).toBeLessThanOrEqual(150);
  });

  it('is cut on both sides if it is from the middle', () => {
    const quoted = excerpt('длинное слово '.repeat(20) + 'Пётр ' + 'другое слово '.repeat(20), 'Петр');

    expect(quoted).toMatch(/^\.\.\.Пётр другое .*[^.]\.\.\.$/);
    expect(quoted.length).toBeGreaterThan(130);
    expect(quoted.length).toBeLessThanOrEqual(150);
  });

  it('is not cut if it has 150 characters of two UTF-16 units', () => {
    const sentence = `${'😀'.repeat(60)} ${'😀'.repeat(60)} ${'😀'.repeat(27)}.`;

    expect(excerpt(sentence, 'cats')).toBe(sentence);
  });

  it('is cut after the start of a sentence that is too long', () => {
    expect(excerpt(long, 'cats')).toMatch(/^The museum keeps old .*\.\.\.$/);
  });

  it('has at most 150 whole characters, all of them from the source', () => {
    const words = fc.constantFrom(
      'Paris',
      'башня',
      '330',
      '😀',
      'x'.repeat(200),
      '😀'.repeat(100),
      '.',
      '\n',
      ' ',
      '。',
      '\ud83d',
    );
    const texts = fc.oneof(
      fc.array(words, { maxLength: 30 }).map((all) => all.join(' ')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(texts, texts, (source, claim) => {
        const quoted = excerpt(source, claim);

        expect(Array.from(quoted).length).toBeLessThanOrEqual(150);
        expect(quoted.isWellFormed()).toBe(true);
        const bare = quoted.replace(/^\.\.\./, '').replace(/\.\.\.$/, '');
        expect(source.toWellFormed()).toContain(bare);
        expect(quoted === '').toBe(source.trim() === '');
      }),
    );
  });

  it.each([
    ['words', 'Paris is '.repeat(250)],
    ['sentences', 'a. '.repeat(700)],
    ['a word', 'x'.repeat(2_000)],
    ['full stops', '.'.repeat(2_000)],
    ['characters of two units', '😀'.repeat(1_000)],
  ])('takes linear time for a source of %s', (_, source) => {
    const before = performance.now();
    excerpt(source, source);

    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
