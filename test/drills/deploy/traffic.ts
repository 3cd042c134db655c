import { setTimeout as sleep } from 'node:timers/promises';
import { statusesOf, type DeployedAnswer, type DeployedGateway } from './deployed-gateway.ts';
import type { Reporter } from './report.ts';
import { rubOf } from '../roubles.ts';

/** With several clients, requests are running during each change of a deployment. */
const CLIENTS = 2;

/** Sends requests from several clients until `work` has ended, and returns all responses. */
export async function askDuring(
  gateway: DeployedGateway,
  key: string,
  work: () => Promise<unknown>,
): Promise<DeployedAnswer[]> {
  const answers: DeployedAnswer[] = [];
  const over = new AbortController();
  const client = async () => {
    while (!over.signal.aborted) answers.push(await gateway.ask(key));
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    over.abort();
    await Promise.all(clients);
  }
  return answers;
}

/** Sends sequential requests, which must succeed, and reports one step. */
export async function askOneAfterAnother(
  reporter: Reporter,
  step: string,
  { gateway, key, requests, url }: { gateway: DeployedGateway; key: string; requests: number; url?: string },
): Promise<DeployedAnswer[]> {
  const answers: DeployedAnswer[] = [];
  for (let index = 0; index < requests; index += 1) answers.push(await gateway.ask(key, url));
  reportAnswered(reporter, step, answers);
  return answers;
}

/** Matches the error of a request whose process the emulator has terminated. */
const KILLED = /Worker process died/;

/**
 * Reports requests during a change of the deployment, which must succeed, and returns the number of terminated
 * requests. On AWS, a function completes its requests after its code has changed; the emulator terminates them.
 */
export function reportChange(reporter: Reporter, step: string, answers: readonly DeployedAnswer[]): number {
  const killed = answers.filter(({ failure }) => failure !== undefined && KILLED.test(failure));
  reportAnswered(
    reporter,
    step,
    answers.filter((answer) => !killed.includes(answer)),
  );
  if (killed.length > 0) {
    const says = `the emulator terminated ${killed.length} requests of functions whose code changed; on AWS they would complete`;
    reporter.notPossible(step, says);
  }
  return killed.length;
}

function reportAnswered(reporter: Reporter, step: string, answers: readonly DeployedAnswer[]): void {
  const areAnswered = answers.length > 0 && answers.every(({ status }) => status === 200);
  reporter.done(step, areAnswered, `${statusesOf(answers)}; ${rubOf(answers)} RUB reported`);
}

/** Time within which clients retry while the gateway is busy, as SDKs do. */
const RETRY_WITHIN_MS = 480_000;
/** Maximum of the first random wait, which is doubled up to LONGEST_WAIT_MS. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

export interface PatientAnswers {
  /** Last response to each client. */
  answers: DeployedAnswer[];
  /** Retries, after status 529 or a connection timeout. */
  busy: number;
}

/** Sends one request from each of several concurrent clients, which retry while the gateway is busy. */
export async function askTogether(gateway: DeployedGateway, key: string, clients: number): Promise<PatientAnswers> {
  const deadlineMs = performance.now() + RETRY_WITHIN_MS;
  let busy = 0;
  const client = async () => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const answer = await gateway.ask(key);
      if (!isToRetry(answer) || performance.now() > deadlineMs) return answer;
      busy += 1;
      await sleep(waitMs * Math.random());
    }
  };
  return { answers: await Promise.all(Array.from({ length: clients }, client)), busy };
}

/** Whether a client repeats its request. If the connection was never established, the gateway got no request. */
function isToRetry({ status, failure }: DeployedAnswer): boolean {
  return status === BUSY || (status === 0 && failure?.includes('ConnectTimeoutError') === true);
}

/** Status of a response if the table or a function did not answer in time. */
const BUSY = 529;
