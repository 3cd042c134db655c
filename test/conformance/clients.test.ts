import { beforeAll, describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { isLongForm } from '../support/long-runs.ts';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { reportOnClients, sandboxModels } from './clients/report.ts';
import { documented } from './document.ts';

/** In the short form each client is tried over some wires, and each wire by some clients. */
const WIRES_PER_CLIENT = isLongForm ? messagesWires.length : 2;

let gateway: GatewayClient;
let report: Awaited<ReturnType<typeof reportOnClients>>;
beforeAll(async () => {
  gateway = await commonGateway();
  report = await reportOnClients(gateway, WIRES_PER_CLIENT);
  process.stdout.write(`\n${report.table}\n\n`);
}, 300_000);

/** The clients that people use, through every API and over all wires of the sandbox, against one running gateway. */
describe('clients', () => {
  it('are tried over every wire that answers messages', () => {
    expect(sandboxModels().map(({ wire }) => wire)).toEqual(messagesWires);
  });

  it('get what they ask for', () => {
    expect(report.unexplained).toEqual([]);
  });

  it('are in docs/conformance.md as they were tried: npm run conformance writes it', () => {
    expect(linesOf(documented('Clients')!)).toEqual(expect.arrayContaining(linesOf(report.markdown)));
  });

  it.runIf(isLongForm)('are in docs/conformance.md as a whole', () => {
    expect(documented('Clients')).toBe(report.markdown);
  });
});

/** The lines of a page; columns are as wide as their widest cell, which is another in a part of a table. */
function linesOf(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'));
}
