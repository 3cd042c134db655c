/** First deployment of the present release: smoke checks, many concurrent requests against one limit, and deletion. */

import { projectDirectory } from '../../../lib/shared/project-directory.ts';
import { checkAccounts, checkSpent } from './checks.ts';
import { DRILL_MODEL } from './drill-provider.ts';
import { statusesOf, type Customer, type DeployedGateway } from './deployed-gateway.ts';
import type { Rehearsal } from './rehearsal.ts';
import { arrivedInOnePiece, smokeWith, type SmokeResult } from './smoke.ts';
import { askOneAfterAnother, askTogether } from './traffic.ts';
import { rubOf } from '../roubles.ts';

/** Number of concurrent requests. The limit can pay for PAID_FOR of them. */
const AT_ONCE = 60;
const PAID_FOR = 40;
/** The waiting time is long, because the emulator is slow on a busy machine. */
const SETTLED_WITHIN_SECONDS = '240';

export async function useNewDeployment(rehearsal: Rehearsal): Promise<void> {
  const { reporter, synthesize, deploy, destroy, serve, shape } = rehearsal;
  await reporter.during('new', async () => {
    const synthesized = await synthesize('new', projectDirectory, 'new');
    const gateway = await deploy(synthesized);
    reporter.done('cdk deploy --all', true, `shape ${shape}`);
    const customer = await gateway.newCustomer(projectDirectory, 'New');
    reporter.done('account and keys', true, 'created with admin');
    const server = await serve(gateway);
    if (server !== undefined) {
      reporter.notPossible(
        'Web Function',
        'the server’s bundle runs as a local process, with the role and variables of its template',
      );
    }
    try {
      await smoke(rehearsal, gateway, customer);
      await meetLimit(rehearsal, gateway, customer);
    } finally {
      await server?.stop();
    }
    await checkAccounts(reporter, gateway, [customer]);
    await destroy(synthesized);
    await checkAccounts(reporter, gateway, [customer], 'reconcile --deep on the table that stays');
  });
}

async function smoke(
  { reporter, emulator: { environment } }: Rehearsal,
  gateway: DeployedGateway,
  { key, managementKey }: Customer,
): Promise<void> {
  const common = { key, model: DRILL_MODEL, 'settled-within': SETTLED_WITHIN_SECONDS };
  const api = { url: gateway.apiUrl, 'streaming-url': gateway.streamingUrl, 'management-key': managementKey };
  for (const result of await smokeWith({ ...common, ...api }, environment)) {
    const step = `smoke of the API: ${result.check}`;
    if (arrivedInOnePiece(result)) reporter.notPossible(step, 'the stream is correct, but arrives in one piece');
    else reporter.done(step, result.result !== 'failed', describeSmoke(result));
  }
  // The server has no management routes, and it streams at its only address, so it needs no other options.
  if (gateway.url === gateway.apiUrl) return;
  for (const result of await smokeWith({ ...common, url: gateway.url }, environment)) {
    reporter.done(`smoke of the server: ${result.check}`, result.result !== 'failed', describeSmoke(result));
  }
}

function describeSmoke({ result, says }: SmokeResult): string {
  return result === 'skipped' ? `skipped: ${says}` : says;
}

/** Exactly as many concurrent requests must be answered as the key's limit can pay for. */
async function meetLimit({ reporter }: Rehearsal, gateway: DeployedGateway, customer: Customer): Promise<void> {
  const [first] = await askOneAfterAnother(reporter, 'a request', { gateway, key: customer.key, requests: 1 });
  const costRub = first?.costRub ?? Number.NaN;
  await warmUp(reporter, gateway, customer);
  // The limit has room for half a request more, because a hold counts a token for each byte of the prompt.
  const limitRub = (costRub * (PAID_FOR + 0.5)).toFixed(12);
  const key = await gateway.limitedKey(projectDirectory, customer, limitRub);
  const { answers, busy } = await askTogether(gateway, key, AT_ONCE);
  const admitted = answers.filter(({ status }) => status === 200).length;
  const refused = answers.filter(({ status }) => status === 402).length;
  const step = `${AT_ONCE} requests at once with a limit of ${PAID_FOR}`;
  const says = `${statusesOf(answers)}, after ${busy} × 529 or no connection; each costs ${costRub} RUB, the limit is ${limitRub} RUB`;
  const isWithinLimit = admitted <= PAID_FOR && admitted + refused === AT_ONCE;
  if (isWithinLimit && admitted < PAID_FOR && busy > 0) {
    // A hold whose reply came too late counts until it is released, so the limit may refuse more requests.
    reporter.notPossible(step, `the emulated table answered late: ${says}`);
  } else reporter.done(step, isWithinLimit && admitted === PAID_FOR, says);
  await checkSpent(reporter, gateway, { step: 'usage of that key', key, rub: rubOf(answers) });
}

/**
 * Rounds of concurrent requests that start the functions' processes, because many starts at the same moment would
 * compete for the CPU.
 */
const ROUNDS = [5, 10, 20, 40, AT_ONCE];

async function warmUp(reporter: Rehearsal['reporter'], gateway: DeployedGateway, { key }: Customer): Promise<void> {
  for (const clients of ROUNDS) {
    const { answers, busy } = await askTogether(gateway, key, clients);
    const areAnswered = answers.every(({ status }) => status === 200);
    reporter.done(
      `${clients} requests at once without a limit`,
      areAnswered,
      `${statusesOf(answers)}, after ${busy} × 529 or no connection`,
    );
  }
}
