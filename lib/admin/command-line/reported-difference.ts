/** Thrown by a command that has printed a report with a difference. */
class ReportedDifference extends Error {
  override name = 'ReportedDifference';
}

/**
 * Ends a command that has printed a report.
 * @throws {ReportedDifference} if the report has a difference
 */
export function endWithVerdict(isSound: boolean): void {
  if (!isSound) throw new ReportedDifference('The report has a difference.');
}

export function isReportedDifference(error: unknown): boolean {
  return error instanceof ReportedDifference;
}
