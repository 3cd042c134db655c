import { vi } from 'vitest';

/** A line of the log, as it is written on standard error. */
export interface LogLine {
  message: string;
  [field: string]: unknown;
}

/** Keeps what is logged from now on, in place of writing it, until mocks are restored. @returns the lines so far, at any time */
export function keepLog(): LogLine[] {
  const lines: LogLine[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as LogLine);
    return true;
  });
  return lines;
}
