import { vi } from 'vitest';

/** Line of the log, as it is written to standard error. */
export interface LogLine {
  message: string;
  [field: string]: unknown;
}

/**
 * Collects log lines instead of writing them, until mocks are restored.
 * @returns an array to which each line is added
 */
export function keepLog(): LogLine[] {
  const lines: LogLine[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)) as LogLine);
    return true;
  });
  return lines;
}
