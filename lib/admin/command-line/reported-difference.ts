/**
 * Thrown after a command has printed a report with a difference, so that `runAdmin`, the only code that sets exit
 * codes, exits with 1.
 */
class ReportedDifference extends Error {
  override name = 'ReportedDifference';
}

/**
 * Ends a command that checks something. Call it after the report is printed. @throws {ReportedDifference} if the report
 * has a difference
 */
export function endWithVerdict(isSound: boolean): void {
  if (!isSound) throw new ReportedDifference('The report has a difference.');
}

export function isReportedDifference(error: unknown): boolean {
  return error instanceof ReportedDifference;
}
