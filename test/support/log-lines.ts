import { vi } from 'vitest';

/** Line as it is written to standard error. */
export interface LogLine {
  message: string;
  [field: string]: unknown;
}

/** Collects log lines in the returned array instead of writing them, until mocks are restored. */
export function keepLog(): LogLine[] {
  const lines: LogLine[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as LogLine);
    return true;
  });
  return lines;
}
