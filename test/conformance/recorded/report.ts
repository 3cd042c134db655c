/** Measurement of the recordings, and its part of test/conformance/results.md. */

import { markdownList, markdownTable } from '../markdown.ts';
import { measureAnswers } from './answers.ts';
import { answerExceptions, inwardAnswerExceptions, inwardRequestExceptions, requestExceptions } from './exceptions.ts';
import { findInteractions } from './interactions.ts';
import { measureInwardAnswers, measureInwardRequests } from './inward.ts';
import { outcomeOf, type Outcome, type Share } from './measured.ts';
import { measureRequests } from './requests.ts';
import { wireRows } from './rows.ts';

export interface RecordedReport {
  answers: Outcome;
  requests: Outcome;
  inwardAnswers: Outcome;
  inwardRequests: Outcome;
  /** Table with the shares of interactions that pass. */
  table: string;
  markdown: string;
}

export async function reportOnRecordings(): Promise<RecordedReport> {
  const { interactions, others } = findInteractions(wireRows);
  const answers = outcomeOf(await measureAnswers(wireRows, interactions), answerExceptions);
  const { measured, unsaid } = measureRequests(wireRows, interactions);
  const requests = outcomeOf(measured, requestExceptions);
  const inwardAnswers = outcomeOf(await measureInwardAnswers(wireRows, interactions), inwardAnswerExceptions);
  const inwardRequests = outcomeOf(measureInwardRequests(wireRows, interactions), inwardRequestExceptions);
  const table = tableOf(answers.shares, requests.shares);
  const inwardTable = tableOf(inwardAnswers.shares, inwardRequests.shares);
  const documentedCount = wireRows.flatMap(({ documented }) => documented).length;
  const markdown = [
    '## Recorded interactions',
    table,
    '### Recordings that do not pass, and the reasons',
    markdownList([...explanations('answers', answers), ...explanations('requests', requests)]),
    '### Recordings through the client APIs',
    "For the next table, recordings of chat completions and Responses enter and leave through the gateway's client APIs.",
    inwardTable,
    markdownList([...explanations('answers', inwardAnswers), ...explanations('requests', inwardRequests)]),
    '### Fields that the gateway sends and no recording has',
    `The gateway sends ${documentedCount} fields and values that no recording has. \`test/conformance/recorded/\` lists each with its source.`,
    '### Parts of recorded requests that the Messages API cannot express',
    markdownList(counted(unsaid)),
    `The tests do not read ${[...others.values()].reduce((sum, count) => sum + count, 0)} recordings of other wires and endpoints.`,
  ].join('\n\n');
  return { answers, requests, inwardAnswers, inwardRequests, table: [table, inwardTable].join('\n\n'), markdown };
}

function tableOf(answers: Share[], requests: Share[]): string {
  const rows = answers.toSorted(byWireAndProvider).map(({ wire, provider, passed, total }) => {
    const request = requests.find((share) => share.wire === wire && share.provider === provider);
    return [wire, provider, `${passed}/${total}`, request ? `${request.passed}/${request.total}` : ''];
  });
  const all = [answers, requests].map((shares) => {
    const [passed, total] = [sum(shares.map((share) => share.passed)), sum(shares.map((share) => share.total))];
    return `${passed}/${total} (${((100 * passed) / total).toFixed(1)} %)`;
  });
  return markdownTable(['Wire', 'Provider', 'Answers passed', 'Requests passed'], [...rows, ['all', '', ...all]]);
}

function byWireAndProvider(a: Share, b: Share): number {
  return `${a.wire} ${a.provider}`.localeCompare(`${b.wire} ${b.provider}`);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function explanations(direction: string, { explained }: Outcome): string[] {
  return [...explained].map(
    ([{ reason }, count]) => `${count} ${count === 1 ? direction.slice(0, -1) : direction}: ${reason}`,
  );
}

function counted(counts: Map<string, number>): string[] {
  return [...counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([what, count]) => `${count} × \`${what}\``);
}
