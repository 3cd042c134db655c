import { afterEach, describe, expect, it, vi } from 'vitest';
import { dayText, timeText } from '../../lib/console/time-text.ts';

const zones = ['America/Los_Angeles', 'UTC', 'Asia/Vladivostok'];

afterEach(() => void vi.unstubAllEnvs());

describe('a day in the console', () => {
  it.each(zones)('is the UTC day of the books, for a reader in %s', (zone) => {
    vi.stubEnv('TZ', zone);

    expect(dayText('2026-10-31', 'en-GB')).toBe('31 Oct 2026');
    expect(dayText('2026-10-31T00:00:01.000Z', 'en-GB')).toBe('31 Oct 2026');
  });
});

describe('a time in the console', () => {
  it.each(zones)('is in UTC, and ends with "UTC", for a reader in %s', (zone) => {
    vi.stubEnv('TZ', zone);

    expect(timeText('2026-10-31T23:30:00.000Z', 'en-GB')).toBe('31 Oct 2026, 23:30:00\u00a0UTC');
    expect(timeText('2026-10-31T23:30:00.000Z', 'ru-RU')).toContain('23:30:00\u00a0UTC');
  });
});
