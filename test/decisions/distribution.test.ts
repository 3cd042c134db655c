import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inGroups,
  joinedGroups,
  labelProbabilities,
  normalised,
  tempered,
} from '../../lambdas/decisions/distribution.ts';

const tokens = (masses: Record<string, number>) =>
  Object.entries(masses).map(([token, mass]) => ({ token, logprob: Math.log(mass) }));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const close = (a: readonly number[], b: readonly number[]) => {
  for (const [index, value] of a.entries()) expect(value).toBeCloseTo(b[index]!, 9);
};

describe('probabilities of labels', () => {
  it('are those of their tokens in all forms, and of no other token', () => {
    const top = tokens({ A: 0.3, ' A': 0.1, a: 0.1, B: 0.2, '▁B': 0.05, ĠB: 0.05, The: 0.2 });
    close(labelProbabilities(top, ['A', 'B'])!, [0.5 / 0.8, 0.3 / 0.8]);
  });

  it('do not use a token for two labels that differ only in case', () => {
    close(labelProbabilities(tokens({ A: 0.5, a: 0.25 }), ['A', 'a'])!, [2 / 3, 1 / 3]);
  });

  it('do not use a longer word for a label', () => {
    close(labelProbabilities(tokens({ A: 0.5, AB: 0.2, 'A.': 0.1, B: 0.1 }), ['A', 'B'])!, [5 / 6, 1 / 6]);
  });

  it('give an unlisted label at most the probability of the last listed token', () => {
    // The remaining probability is 0.1, but each label gets at most 0.02, the probability of the last listed label.
    const [a, b, c, d] = labelProbabilities(tokens({ A: 0.88, B: 0.02 }), ['A', 'B', 'C', 'D'])!;
    close(
      [a!, b!, c!, d!],
      [0.88, 0.02, 0.02, 0.02].map((mass) => mass / 0.94),
    );
  });

  it('give unlisted labels at most the remaining probability', () => {
    const [, , c, d] = labelProbabilities(tokens({ A: 0.6, B: 0.39 }), ['A', 'B', 'C', 'D'])!;
    close([c!, d!], [0.005, 0.005]);
  });

  it('are unknown if the model would write none of the labels', () => {
    expect(labelProbabilities(tokens({ I: 0.9, '': 0.1 }), ['A', 'B'])).toBeUndefined();
    expect(labelProbabilities(tokens({ I: 1, A: 0 }), ['A', 'B'])).toBeUndefined();
  });

  it('add up to 1, whatever the provider reports', () => {
    const token = fc.oneof(fc.constantFrom('A', ' A', 'b', 'B', 'C', ''), fc.string({ maxLength: 3 }));
    const top = fc.array(fc.record({ token, logprob: fc.double({ min: -1e6, max: 0, noNaN: true }) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(top, (listed) => {
        const probabilities = labelProbabilities(listed, ['A', 'B', 'C']);
        if (!probabilities) return;
        expect(sum(probabilities)).toBeCloseTo(1, 9);
        expect(probabilities.every((probability) => probability >= 0)).toBe(true);
      }),
    );
  });
});

describe('rounds of options', () => {
  it('merge into the probabilities of all options', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 255 }), (weights) => {
        const groups = inGroups(weights, 20);
        const finals = normalised(groups.map((group) => Math.max(...group)));
        close(joinedGroups(groups.map(normalised), finals), normalised(weights));
      }),
    );
  });

  it('have groups of nearly the same size, each within the maximum', () => {
    const sizes = inGroups(Array.from({ length: 255 }), 20).map(({ length }) => length);
    expect(Math.max(...sizes)).toBe(20);
    expect(Math.min(...sizes)).toBeGreaterThan(10);
    expect(sum(sizes)).toBe(255);
  });
});

describe('a temperature', () => {
  it('corrects a model that is more confident than accurate', () => {
    const truth = normalised([6, 3, 1]);
    close(tempered(normalised(truth.map((probability) => probability ** 2)), 2), truth);
  });
});
