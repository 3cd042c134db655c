import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { startGateway, type RunningGateway } from '../support/gateway.ts';
import { reportOnClients, sandboxModels } from './clients/report.ts';
import { documented } from './document.ts';

let gateway: RunningGateway;
let report: Awaited<ReturnType<typeof reportOnClients>>;
beforeAll(async () => {
  gateway = await startGateway();
  report = await reportOnClients(gateway);
  process.stdout.write(`\n${report.table}\n\n`);
}, 300_000);
afterAll(() => gateway.stop());

/** The clients that people use, through every door and over all wires of the sandbox, against one running gateway. */
describe('clients', () => {
  it('are tried over every wire that answers messages', () => {
    expect(sandboxModels().map(({ wire }) => wire)).toEqual(messagesWires);
  });

  it('get what they ask for, over every wire', () => {
    expect(report.unexplained).toEqual([]);
  });

  it('are in docs/conformance.md as they were tried: npm run conformance writes it', () => {
    expect(documented('Clients')).toBe(report.markdown);
  });
});
