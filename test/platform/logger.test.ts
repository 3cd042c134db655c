import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeError, log } from '../../lambdas/platform/logger.ts';

let written: string[];
beforeEach(() => {
  written = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a log line', () => {
  it('is one JSON object with the level and timestamp that Lambda reads, whatever its fields', () => {
    log('warn', 'slow\nrequest', { provider: 'Acme\n"x"', durationMs: 5 });

    expect(written).toHaveLength(1);
    expect(written[0]!.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(written[0]!)).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      level: 'warn',
      message: 'slow\nrequest',
      provider: 'Acme\n"x"',
      durationMs: 5,
    });
  });
});

describe('an error in the log', () => {
  it('has its name and stack, and not its message, which may be a prompt', () => {
    const described = describeError(new TypeError('my prompt\n    at prompt length'));

    expect(described.reason).toBe('TypeError');
    expect(described.stack).toMatch(/^at .*logger\.test\.ts/);
    expect(JSON.stringify(described)).not.toContain('prompt');
  });

  it('has its code', () => {
    expect(describeError(Object.assign(new Error('x'), { code: 'ECONNRESET' })).reason).toBe('Error ECONNRESET');
    expect(describeError(Object.assign(new Error('x'), { code: 7 })).reason).toBe('Error');
  });

  it('has at most six frames of its stack', () => {
    const deep = (levels: number): unknown => (levels === 0 ? describeError(new Error('x')).stack : deep(levels - 1));

    expect(String(deep(9)).split(' < ')).toHaveLength(6);
  });

  it.each([['a text'], [undefined], [{ message: 'secret' }]])(
    'that is not an Error is logged with its type: %j',
    (thrown) => {
      expect(describeError(thrown)).toEqual({ reason: typeof thrown });
    },
  );
});
