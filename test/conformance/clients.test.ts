import { beforeAll, describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { isLongForm } from '../support/long-runs.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { reportOnClients, sandboxModels } from './clients/report.ts';
import { documented } from './document.ts';

/**
 * Number of wires per client. In the short form, each client uses some wires, and each wire is used by some clients.
 */
const WIRES_PER_CLIENT = isLongForm ? messagesWires.length : 2;

let gateway: GatewayClient;
let report: Awaited<ReturnType<typeof reportOnClients>>;
beforeAll(async () => {
  gateway = await commonGateway();
  report = await reportOnClients(gateway, WIRES_PER_CLIENT);
  process.stdout.write(`\n${report.table}\n\n`);
}, 300_000);

describe('clients', () => {
  it('are tested over every wire with messages', () => {
    expect(sandboxModels().map(({ wire }) => wire)).toEqual(messagesWires);
  });

  it('get the expected results', () => {
    expect(report.unexplained).toEqual([]);
  });

  it('have their current results in test/conformance/results.md (npm run conformance writes it)', () => {
    expect(linesOf(documented('Clients')!)).toEqual(expect.arrayContaining(linesOf(report.markdown)));
  });

  it.runIf(isLongForm)('have all their results in test/conformance/results.md', () => {
    expect(documented('Clients')).toBe(report.markdown);
  });
});

/**
 * Returns the lines of a table without padding. Columns are as wide as their widest cell, so a part of a table has
 * other widths.
 */
function linesOf(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'));
}
