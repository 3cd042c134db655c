/**
 * A command has printed a report with a difference. Thrown after the report, so that `runAdmin`, which alone knows exit codes, ends the
 * program with 1.
 */
class ReportedDifference extends Error {
  override name = 'ReportedDifference';
}

/** Ends a command that checks something. Call it after the report is printed. @throws {ReportedDifference} if the report is not sound */
export function endWithVerdict(isSound: boolean): void {
  if (!isSound) throw new ReportedDifference('The report has a difference.');
}

export function isReportedDifference(error: unknown): boolean {
  return error instanceof ReportedDifference;
}
