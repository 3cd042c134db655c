import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { citedText, type TextPart } from '../../lambdas/search/cited-text.ts';

const isSource = (number: number) => number >= 1 && number <= 12;

/** Joins adjacent plain parts of a text that arrives in these pieces. */
function partsOf(pieces: string[], known = isSource): TextPart[] {
  const text = citedText(known);
  const joined: TextPart[] = [];
  for (const part of [...pieces.flatMap((piece) => text.push(piece)), ...text.end()]) {
    const last = joined.at(-1);
    if (last && !('sources' in last) && !('sources' in part)) last.text += part.text;
    else joined.push({ ...part });
  }
  return joined;
}

function cutAt(text: string, places: number[]): string[] {
  const edges = [0, ...places.filter((place) => place <= text.length).toSorted((a, b) => a - b), text.length];
  return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
}

const textOf = (parts: TextPart[]) => parts.map(({ text }) => text).join('');

/** Shows each cited part as `{cited text|numbers of sources}`. */
const shown = (parts: TextPart[]) =>
  parts.map((part) => ('sources' in part ? `{${part.text}|${part.sources.join()}}` : part.text)).join('');

/** Reads a text in one piece and in single characters. The result must be the same. */
function read(text: string): string {
  const whole = shown(partsOf([text]));
  expect(shown(partsOf(text.split('')))).toBe(whole);
  return whole;
}

describe('a citation marker', () => {
  it.each([
    ['cites the text before it', 'Paris has two airports [1].', '{Paris has two airports|1}.'],
    ['need not have a blank before it', 'Paris[1].', '{Paris|1}.'],
    ['is removed with all blanks before it', 'Paris \u00a0 [1].', '{Paris|1}.'],
    ['may be after the full stop', 'It has 330 m. [1] Next', '{It has 330 m.|1} Next'],
    ['may stand close to it', 'It has 330 m.[1] Next', '{It has 330 m.|1} Next'],
    ['may list several sources', 'Paris [1, 2,3].', '{Paris|1,2,3}.'],
    ['may be followed by others', 'Paris [1][2] [3], [4]. Rome', '{Paris|1,2,3,4}. Rome'],
    ['names a source once', 'Paris [1][1, 2].', '{Paris|1,2}.'],
    ['may be a footnote', 'Paris [^1][^2].', '{Paris|1,2}.'],
    ['may be of lenticular brackets', 'Paris【1】【2, 3】.', '{Paris|1,2,3}.'],
    ['may be at the end', 'Paris [1]', '{Paris|1}'],
    ['may come back later', 'Paris [1]. Rome [1].', '{Paris|1}. {Rome|1}.'],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['has an unknown source', 'Paris [13].'],
    ['has an unknown source next to a known one', 'Paris [1, 13].'],
    ['is a year', 'Paris [2024].'],
    ['has too many digits', 'Paris [00001] [12345].'],
    ['begins with a zero', 'Paris [01] [0].'],
    ['is a word', 'Paris [citation needed] [x] [] [ 1 ] [1-2] [-1] [1.] [1,].'],
    ['is not closed, or otherwise', 'Paris [1 [1】 【1] [1'],
    ['is a link', 'Paris [1](https://example.org) and [2](https://example.org).'],
    ['is in brackets itself', 'Paris [[1]](https://example.org) [[2]].'],
    ['has nothing to cite', '[1] Paris\n[2][3] Rome\n\n- [4] Oslo\n2. [5] Bern\n| [6] | Wien |'],
    ['is longer than any list', `Paris [${'1, '.repeat(20)}1].`],
    ['is inline code', 'Take `list[1]` or ``a ` b [2]`` or `x [3]\n'],
    ['is in a fence', '```js\nlist[1] = `x`; [2]\n```js\n a [3]\n````  \n'],
    ['is in a fence that only a longer one ends', '````\n```\na [1]\n````\n'],
    ['is in a code block, after text that looks like its end', '```\n- ```\na [1]\n``` x\na [1]\n```\n'],
    ['is in a fence in a list', '- ```\n  list [1]\n  ```\n'],
    ['is in a fence that never ends', '```\nlist [1]\n\nlist [2]'],
  ])('is plain text if it %s', (_, text) => {
    expect(read(text)).toBe(text);
  });

  it.each([
    ['after inline code', 'Take `x` [1] and ``[2]`` [3].', '{Take `x`|1}{ and ``[2]``|3}.'],
    ['after a code block', '```\n[1]\n```\nParis [1].', '```\n[1]\n```\n{Paris|1}.'],
    ['on a line after an unclosed backtick', 'It`s 5\nParis [1].', 'It`s 5\n{Paris|1}.'],
    ['after inline code of three backticks', '```x``` is Paris [1].\nRome [2].', '{```x``` is Paris|1}.\n{Rome|2}.'],
    ['after a link', '[1](https://example.org) is Paris [2].', '{[1](https://example.org) is Paris|2}.'],
    ['next to an unknown one', 'Paris [1][13] Rome', '{Paris|1}[13] Rome'],
  ])('is a citation %s', (_, text, expected) => {
    expect(read(text)).toBe(expected);
  });
});

describe('the cited text of a marker begins', () => {
  it.each([
    ['after the previous sentence', 'Rome is old. Paris is big [1].', 'Rome is old. {Paris is big|1}.'],
    ['after a question or an exclamation', 'Big? Big! Big… Paris [1].', 'Big? Big! Big… {Paris|1}.'],
    ['after a quote that ends a sentence', '«Да.» (Нет.) **Да.** Париж [1].', '«Да.» (Нет.) **Да.** {Париж|1}.'],
    [
      'after a sentence without a following blank',
      '東京。京都[1]。「はい。」大阪[2]。',
      '東京。{京都|1}。「はい。」{大阪|2}。',
    ],
    ['after the previous line', 'Rome\nParis [1].', 'Rome\n{Paris|1}.'],
    ['after the previous marker', 'Rome [1], Paris [2].', '{Rome|1}{, Paris|2}.'],
    [
      'at the start of a list item',
      '- Rome [1]\n* Paris [2]\n1) Oslo [3]\n  - 2. Bern [4]',
      '- {Rome|1}\n* {Paris|2}\n1) {Oslo|3}\n  - 2. {Bern|4}',
    ],
    ['not after a point in a word or a number', 'Т.е. 3.5 и example.org [1].', 'Т.е. {3.5 и example.org|1}.'],
    ['at bold text after a sentence', 'Rome. *Paris* [1].', 'Rome. {*Paris*|1}.'],
    ['not at text in code that looks like a list item', '`- x` [1].', '{`- x`|1}.'],
    ['not after a point in code', 'Take `a. b` now [1].', '{Take `a. b` now|1}.'],
    ['not at a number that begins a line', 'It was in\n1889. [1]', 'It was in\n{1889.|1}'],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('with the preceding blanks, if they would otherwise be alone', () => {
    expect(partsOf(['\n Rome. [1] Paris. [2]\n\nOslo [3].'])).toEqual([
      { text: '\n Rome.', sources: [1] },
      { text: ' Paris.', sources: [2] },
      { text: '\n\nOslo', sources: [3] },
      { text: '.' },
    ]);
  });

  it('in the middle of a sentence that is too long to hold back', () => {
    const [before, cited] = partsOf([`${'слово '.repeat(200)}[1].`]);

    expect(cited).toMatchObject({ sources: [1] });
    expect(cited!.text.length).toBeGreaterThan(170);
    expect(before!.text + cited!.text).toBe('слово '.repeat(200).trimEnd());
    expect(cited!.text).toMatch(/^слово /);
  });

  it.each(Array.from({ length: 16 }, (_, index) => 345 + 5 * index + (index % 5)))(
    'after the previous sentence, or in its second half, if that has %i characters',
    (length) => {
      const long = `${'😀'.repeat(10)}${'x'.repeat(length - 20)}`;

      expect(read(`${long}. Paris [1].`)).toBe(`${long}. {Paris|1}.`);
      expect(read(`${long} [1].`).replace(/[{|}]/g, '')).toBe(`${long}1.`);
    },
  );
});

describe('the pieces of a cited text', () => {
  const words = [
    'Paris',
    'Париж',
    '3.5',
    '😀',
    '\ud83d',
    'x'.repeat(150),
    '😀'.repeat(99),
    '. ',
    '.',
    '。',
    '?!',
    '**',
    '"',
    ',',
    ', ',
  ];
  const marks = ['[1]', '[2, 3]', '[^4]', '【5】', '[13]', '[', ']', '[1', '1', '(', '`', '``', '```', '\n```\n'];
  const tokens = fc.constantFrom(...words, ...marks, ' ', '  ', '\n', '- ', '1. ');
  const texts = fc.oneof(
    fc.array(tokens, { maxLength: 40 }).map((all) => all.join('')),
    fc.string({ unit: fc.constantFrom(...'[1]2,^【】(`. \na'.split('')) }),
    fc.string({ unit: 'binary' }),
  );
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });

  it('have the same text with the same citations at any cuts', () => {
    fc.assert(
      fc.property(texts, cuts, (text, places) => {
        const whole = partsOf([text]);

        expect(partsOf(cutAt(text, places))).toEqual(whole);
        expect(partsOf(text.split(''))).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });

  const MARKER = String.raw`\[\^?\d{1,4}(?:, ?\^?\d{1,4})*\]|【\^?\d{1,4}(?:, ?\^?\d{1,4})*】`;

  /** Whether `text` equals `whole` without some of its markers, and without the white space before these markers. */
  function isWithoutMarkers(text: string, whole: string): boolean {
    const marker = new RegExp(String.raw`(?:[^\S\n]*|, ?)(?:${MARKER})`, 'y');
    let ends = new Set([0]);
    // Positions in `text` that each way of reading `whole` up to here may have reached.
    const reached = new Map<number, Set<number>>([[0, ends]]);
    for (let at = 0; at < whole.length; at += 1) {
      ends = reached.get(at) ?? new Set();
      const reach = (place: number, end: number) => reached.set(place, (reached.get(place) ?? new Set()).add(end));
      for (const end of ends) if (text[end] === whole[at]) reach(at + 1, end + 1);
      marker.lastIndex = at;
      const [removed] = marker.exec(whole) ?? [];
      if (removed) for (const end of ends) reach(at + removed.length, end);
    }
    return reached.get(whole.length)?.has(text.length) ?? false;
  }

  it('omit only markers', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parts = partsOf([text]);

        expect(isWithoutMarkers(textOf(parts), text)).toBe(true);
        if (!/[\]】]/.test(text)) expect(textOf(parts)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('are never empty, never blank before their end, never half a character', () => {
    fc.assert(
      fc.property(texts, cuts, (text, places) => {
        const cited = citedText(isSource);
        const parts = cutAt(text.toWellFormed(), places).flatMap((piece) => cited.push(piece));
        const all = [...parts, ...cited.end()];

        expect(all.filter((part) => part.text === '' || !part.text.isWellFormed())).toEqual([]);
        expect(all.filter((part) => 'sources' in part && !/[\p{L}\p{N}]/u.test(part.text))).toEqual([]);
        expect(
          partsOf(cutAt(text, places))
            .slice(0, -1)
            .filter((part) => part.text.trim() === ''),
        ).toEqual([]);
      }),
    );
  });

  it('cite no punctuation alone, although a word was sent long before', () => {
    const cited = citedText(isSource);
    const parts = [...cited.push(`Paris${'😀'.repeat(205)}[1]`), ...cited.end()];

    expect(parts.filter((part) => 'sources' in part && !/[\p{L}\p{N}]/u.test(part.text))).toEqual([]);
  });

  it('hold back at most 400 characters', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.constant('слово '.repeat(40))), { maxLength: 20 }), (pieces) => {
        const cited = citedText(isSource);
        // These pieces contain no complete marker, so all missing characters are held back.
        const unclosed = pieces.map((piece) => piece.replaceAll(/[\]】]/g, '!'));
        let heldCharacters = 0;
        for (const piece of unclosed) {
          heldCharacters += piece.length - textOf(cited.push(piece)).length;
          expect(heldCharacters).toBeLessThanOrEqual(400);
        }
      }),
    );
  });

  it.each([
    ['a fence', `\`\`\`\n${'😀'.repeat(3)}`],
    ['a long word', `x${'😀'.repeat(400)}`],
    ['another', '😀'.repeat(400)],
  ])('are complete characters if those of %s arrive in halves', (_, text) => {
    const cited = citedText(isSource);
    const parts = text.split('').flatMap((half) => cited.push(half));

    expect(parts.filter((part) => !part.text.isWellFormed())).toEqual([]);
  });

  it('hold back at most 400 characters also if blanks follow a marker', () => {
    const cited = citedText(isSource);
    const text = 'x'.repeat(300);

    expect(cited.push(`${text} [1]${' '.repeat(101)}`)).toEqual([{ text, sources: [1] }]);
  });

  it.each([
    [
      ['One. ', 'Two', ' three.', ' ', 'Four'],
      ['', 'One. ', '', '', 'Two three. '],
    ],
    [
      ['One\n', 'Two'],
      ['One\n', ''],
    ],
    [
      ['- ', 'One'],
      ['- ', ''],
    ],
    [
      ['One [', '1', ']', ' ', '.'],
      ['', '', '', '', 'One'],
    ],
    [
      ['One [1].', ' Two'],
      ['One', '. '],
    ],
    [
      ['```\n', 'a[', '1', '] `'],
      ['```\n', 'a[', '1', '] `'],
    ],
  ])('%j are sent as %j, as soon as no marker can cite them', (pieces, expected) => {
    const cited = citedText(isSource);

    expect(pieces.map((piece) => textOf(cited.push(piece)))).toEqual(expected);
  });

  it('are unchanged without sources', () => {
    const cited = citedText(() => false);
    const pieces = ['Paris [1', ']. ', '', '\ud83d', '\ude00'];

    expect(pieces.map((piece) => textOf(cited.push(piece)))).toEqual(pieces);
    expect(cited.end()).toEqual([]);
  });
});

describe('a long text', () => {
  const LENGTH = 200_000;

  it.each([
    ['prose', 'Париж стоит на Сене, и это 1 из 20 его имён [1]. '],
    ['brackets', '['],
    ['open markers', '[1'],
    ['markers', '[1]'],
    ['markers after a word', 'a[1]'],
    ['long markers', '[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1'],
    ['blanks', ' '],
    ['a word', 'a'],
    ['full stops', '.'],
    ['backticks', '`'],
    ['line breaks', '\n'],
    ['commas after a marker', 'a[1],'],
  ])('of %s takes linear time, in small pieces and in one', (_, unit) => {
    const text = unit.repeat(Math.ceil(LENGTH / unit.length));
    const before = performance.now();
    const cited = citedText(isSource);
    for (let at = 0; at < text.length; at += 10) cited.push(text.slice(at, at + 10));
    cited.end();
    citedText(isSource).push(text);

    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
