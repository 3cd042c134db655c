/** Deploys the last release and uses it, upgrades to the present release, and rolls back. */

import { projectDirectory } from '../../../lib/shared/project-directory.ts';
import { checkAccounts, checkSpent } from './checks.ts';
import type { Customer, DeployedAnswer, DeployedGateway } from './deployed-gateway.ts';
import { REQUESTS, type Rehearsal, type Synthesized } from './rehearsal.ts';
import { askOneAfterAnother, askDuring, reportChange } from './traffic.ts';
import { rubOf } from '../roubles.ts';

interface Customers {
  paying: Customer;
  suspended: Customer;
  closed: Customer;
}

interface Course extends Rehearsal {
  before: Synthesized;
  after: Synthesized;
  customers: Customers;
  /** Responses to the paying customer's key. */
  answers: DeployedAnswer[];
  /** Requests that the emulator terminated; they may be charged although the client got no response. */
  killed: number;
}

const STAGE = 'kept';

export async function changeReleases(rehearsal: Rehearsal): Promise<void> {
  const { reporter, release, synthesize, deploy, destroy } = rehearsal;
  let gateway!: DeployedGateway;
  let course!: Course;
  const isThere = await reporter.during(`release ${release.version}`, async () => {
    const before = await synthesize('before', release.directory, STAGE);
    const after = await synthesize('after', projectDirectory, STAGE);
    gateway = await deploy(before);
    reporter.done('cdk deploy --all', true, 'all stacks of the last release');
    const customers = {
      paying: await gateway.newCustomer(release.directory, 'Paying'),
      suspended: await gateway.newCustomer(release.directory, 'Suspended'),
      closed: await gateway.newCustomer(release.directory, 'Closed'),
    };
    course = { ...rehearsal, before, after, customers, answers: [], killed: 0 };
    const { paying } = customers;
    course.answers.push(
      ...(await askOneAfterAnother(reporter, 'requests', { gateway, key: paying.key, requests: REQUESTS })),
    );
    await checkCourse(course, gateway);
  });
  if (!isThere) return;
  await reporter.during('upgrade', () => upgrade(course, gateway));
  await reporter.during('rollback', async () => {
    await rollBack(course, gateway);
    await destroy(course.before);
    await checkAccounts(reporter, gateway, Object.values(course.customers), 'reconcile --deep on the table that stays');
  });
}

async function upgrade(course: Course, gateway: DeployedGateway): Promise<void> {
  const { reporter, deploy, after, customers, answers, serve } = course;
  let upgraded!: DeployedGateway;
  const during = await askDuring(gateway, customers.paying.key, async () => (upgraded = await deploy(after)));
  course.killed += reportChange(reporter, 'requests while the present release is deployed', during);
  answers.push(...during);
  reporter.done('admin upgrade', true, JSON.stringify(await upgraded.admin(projectDirectory, 'upgrade')));
  const { paying, suspended, closed } = customers;
  answers.push(
    ...(await askOneAfterAnother(reporter, 'requests with the old key', {
      gateway: upgraded,
      key: paying.key,
      requests: REQUESTS,
    })),
  );
  const server = await serve(upgraded);
  if (server !== undefined) {
    const step = 'requests to the server with the old key';
    answers.push(
      ...(await askOneAfterAnother(reporter, step, { gateway: upgraded, key: paying.key, requests: REQUESTS })),
    );
    await server.stop();
    reporter.done('the server', true, 'ended before the rollback and returned its leases');
  }
  await upgraded.admin(projectDirectory, '--account', suspended.accountId, 'accounts', 'suspend', '--reason', 'Drill');
  await upgraded.admin(projectDirectory, '--account', closed.accountId, 'accounts', 'close', '--reason', 'Drill');
  await checkRefused(course, upgraded);
  await checkCourse(course, upgraded);
}

async function rollBack(course: Course, gateway: DeployedGateway): Promise<void> {
  const { reporter, deploy, before, customers, answers } = course;
  const during = await askDuring(gateway, customers.paying.key, () => deploy(before));
  course.killed += reportChange(reporter, 'requests while the last release is deployed again', during);
  answers.push(...during);
  const asking = { gateway, key: customers.paying.key, requests: REQUESTS };
  answers.push(...(await askOneAfterAnother(reporter, 'requests with the old key', asking)));
  await checkRefused(course, gateway);
  await checkCourse(course, gateway);
}

/** Functions may cache a caller for a few seconds, so a change takes effect after this time in ms. */
const KNOWN_FOR_MS = 6_000;

async function checkRefused({ reporter, customers }: Course, gateway: DeployedGateway): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, KNOWN_FOR_MS));
  for (const name of ['suspended', 'closed'] as const) {
    const { status, costRub } = await gateway.ask(customers[name].key, gateway.apiUrl);
    const isRefused = status >= 400 && status < 500 && costRub === undefined;
    reporter.done(`a request of the ${name} account`, isRefused, String(status));
  }
}

async function checkCourse({ reporter, customers, answers, killed }: Course, gateway: DeployedGateway): Promise<void> {
  const [first] = answers;
  const unreportedRub = killed * (first?.costRub ?? 0);
  const step = 'usage of the key';
  await checkSpent(reporter, gateway, { step, key: customers.paying.key, rub: rubOf(answers), unreportedRub });
  await checkAccounts(reporter, gateway, Object.values(customers));
}
