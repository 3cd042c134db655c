import { beforeAll, describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { documented } from './document.ts';
import { hasRecordings } from './recorded/interactions.ts';
import { reportOnRecordings, type RecordedReport } from './recorded/report.ts';
import { wireRows } from './recorded/rows.ts';

/** Recordings of the traffic of real providers, in both directions. docs/conformance.md describes the results. */
describe('recorded interactions', () => {
  it('are measured on every wire that answers messages', () => {
    expect(wireRows.map(({ wire }) => wire).toSorted()).toEqual(messagesWires.toSorted());
  });

  describe.skipIf(!hasRecordings)('where they are present', () => {
    let report: RecordedReport;
    beforeAll(async () => {
      report = await reportOnRecordings();
      process.stdout.write(`\n${report.table}\n\n`);
    }, 60_000);

    it('are of Anthropic and of at least eight chat-completions providers', () => {
      const wires = report.answers.shares.map(({ wire }) => wire);
      expect(wires).toContain('anthropic');
      expect(wires.filter((wire) => wire === 'openai-chat').length).toBeGreaterThanOrEqual(8);
    });

    it('have answers that come through whole, and that strict clients accept', () => {
      expect(report.answers.unexplained).toEqual([]);
    });

    it('have requests that we would send in a form that the provider was seen to accept, and that say the same', () => {
      expect(report.requests.unexplained).toEqual([]);
    });

    it('say the same to clients of OpenAI’s APIs, through the API of each', () => {
      expect(report.inwardAnswers.unexplained).toEqual([]);
    });

    it('are the same requests when they come in and go on to their provider', () => {
      expect(report.inwardRequests.unexplained).toEqual([]);
    });

    it('have no exception that explains nothing', () => {
      const { answers, requests, inwardAnswers, inwardRequests } = report;
      const outcomes = [answers, requests, inwardAnswers, inwardRequests];
      const explained = outcomes.flatMap((outcome) => [...outcome.explained]);
      expect(explained.filter(([, count]) => count === 0).map(([{ reason }]) => reason)).toEqual([]);
    });

    it('are in docs/conformance.md as they were measured: npm run conformance writes it', () => {
      expect(documented('Recorded interactions')).toBe(report.markdown);
    });
  });
});
