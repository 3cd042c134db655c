import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { outOfTurn, takingTurns, turnOf } from './support/turns.ts';

describe('files that take turns', () => {
  it('are there, each once', () => {
    expect(takingTurns.filter((file) => !existsSync(file))).toEqual([]);
    expect(new Set(takingTurns).size).toBe(takingTurns.length);
  });

  it('are each in one of four runs', () => {
    const left = ['0', '1', '2', '3'].map(outOfTurn);

    for (const file of takingTurns) expect(left.filter((files) => files.includes(file))).toHaveLength(3);
  });

  it('are all run where somebody asks for all, and where a run has no turn', () => {
    expect([outOfTurn('all'), outOfTurn(undefined)]).toEqual([[], []]);
  });

  it('have the turn that is named, or one by the seed of the run', () => {
    expect([turnOf(7, undefined), turnOf(7, '2'), turnOf(7, 'all')]).toEqual(['3', '2', 'all']);
    expect(() => turnOf(7, '4')).toThrow('TEST_TURN must be one of all, 0, 1, 2, 3');
  });
});
