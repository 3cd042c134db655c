/** Thrown by a command that has printed a report with a difference. It makes `runAdmin` return exit code 1. */
class ReportedDifference extends Error {
  override name = 'ReportedDifference';
}

/**
 * Ends a command that checks data and prints a report. Call this function after the report is printed.
 * @throws {ReportedDifference} if the report has a difference
 */
export function endWithVerdict(isSound: boolean): void {
  if (!isSound) throw new ReportedDifference('The report has a difference.');
}

export function isReportedDifference(error: unknown): boolean {
  return error instanceof ReportedDifference;
}
