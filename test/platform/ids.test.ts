import { describe, expect, it } from 'vitest';
import {
  generationIdOf,
  generationTimeMs,
  newGenerationId,
  newRequestId,
  newSecretBits,
  uuidv7,
} from '../../lambdas/platform/ids.ts';

const atMs = Date.UTC(2026, 10, 20, 12, 0, 0, 123);

describe('a UUID of version 7', () => {
  it('has its time in front, and its version and variant at their places', () => {
    // The example is from RFC 9562, appendix A.6.
    const exampleMs = Date.UTC(2022, 1, 22, 19, 22, 22);

    expect(uuidv7(exampleMs)).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('is unique, also within a millisecond', () => {
    expect(new Set(Array.from({ length: 100 }, () => uuidv7(atMs))).size).toBe(100);
  });

  it('sorts by time', () => {
    const ids = [0, 1, 999, 86_400_000].map((laterMs) => uuidv7(atMs + laterMs));

    expect(ids.toSorted()).toEqual(ids);
  });
});

describe('the id of a generation', () => {
  it('has the time of admission', () => {
    expect(generationTimeMs(`gen-${uuidv7(atMs)}`)).toBe(atMs);
    expect(Math.abs(generationTimeMs(newGenerationId())! - Date.now())).toBeLessThan(5_000);
  });

  it.each([
    '',
    'gen-1',
    uuidv7(atMs),
    `gen-${uuidv7(atMs)}0`,
    `gen-${uuidv7(atMs).toUpperCase()}`,
    'gen-0f8fad5b-d9cb-469f-a165-70867728950e',
  ])('is not %j', (id) => {
    expect(generationTimeMs(id)).toBeUndefined();
  });
});

describe('the id of a request', () => {
  it('has the id of its generation in it', () => {
    expect(generationTimeMs(generationIdOf(newRequestId())!)).toBeCloseTo(Date.now(), -3);
    expect(generationIdOf('req_01a1faa27c1e7b9a8f003d5c1a2b4c6d')).toBe('gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d');
  });

  it.each(['', 'req_1', 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', `${newRequestId()}0`])('is not %j', (id) => {
    expect(generationIdOf(id)).toBeUndefined();
  });
});

describe('other ids', () => {
  it('have the expected form', () => {
    expect(newRequestId()).toMatch(/^req_[0-9a-f]{32}$/);
    expect(newSecretBits()).toMatch(/^[0-9a-f]{64}$/);
    expect(newSecretBits()).not.toBe(newSecretBits());
  });
});
