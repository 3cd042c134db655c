import { afterEach, describe, expect, it, vi } from 'vitest';
import { dayText } from '../../lib/console/day-text.ts';

describe('a day in the console', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(['America/Los_Angeles', 'UTC', 'Asia/Vladivostok'])('is the day of the books, read in %s', (zone) => {
    vi.stubEnv('TZ', zone);

    expect(dayText('2026-10-31', 'en-GB')).toBe('31 Oct 2026');
  });

  it("is the reader's own, of a moment", () => {
    vi.stubEnv('TZ', 'America/Los_Angeles');

    expect(dayText('2026-10-31T02:00:00.000Z', 'en-GB')).toBe('30 Oct 2026');
  });
});
