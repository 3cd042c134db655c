import { beforeAll, describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { documented } from './document.ts';
import { hasRecordings } from './recorded/interactions.ts';
import { reportOnRecordings, type RecordedReport } from './recorded/report.ts';
import { wireRows } from './recorded/rows.ts';

/** Requests and answers of real providers, with results in test/conformance/results.md. */
describe('recorded interactions', () => {
  it('are measured on every wire with messages', () => {
    expect(wireRows.map(({ wire }) => wire).toSorted()).toEqual(messagesWires.toSorted());
  });

  describe.skipIf(!hasRecordings)('present on this machine', () => {
    let report: RecordedReport;
    beforeAll(async () => {
      report = await reportOnRecordings();
      process.stdout.write(`\n${report.table}\n\n`);
    });

    it('include Anthropic and at least eight chat-completions providers', () => {
      const wires = report.answers.shares.map(({ wire }) => wire);
      expect(wires).toContain('anthropic');
      expect(wires.filter((wire) => wire === 'openai-chat').length).toBeGreaterThanOrEqual(8);
    });

    it('have answers that are decoded completely, and that strict clients accept', () => {
      expect(report.answers.unexplained).toEqual([]);
    });

    it('have requests that the gateway would send in an accepted form, with the same meaning', () => {
      expect(report.requests.unexplained).toEqual([]);
    });

    it('have the same meaning for clients of OpenAI’s APIs', () => {
      expect(report.inwardAnswers.unexplained).toEqual([]);
    });

    it('have the same requests at the client and at their provider', () => {
      expect(report.inwardRequests.unexplained).toEqual([]);
    });

    it('have no unused exception', () => {
      const { answers, requests, inwardAnswers, inwardRequests } = report;
      const outcomes = [answers, requests, inwardAnswers, inwardRequests];
      const explained = outcomes.flatMap((outcome) => [...outcome.explained]);
      expect(explained.filter(([, count]) => count === 0).map(([{ reason }]) => reason)).toEqual([]);
    });

    it('have their current results in test/conformance/results.md (npm run conformance writes it)', () => {
      expect(documented('Recorded interactions')).toBe(report.markdown);
    });
  });
});
