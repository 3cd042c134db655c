import { setTimeout as sleep } from 'node:timers/promises';
import { statusesOf, totalRub, type DeployedAnswer, type DeployedGateway } from './deployed-gateway.ts';
import type { Reporter } from './report.ts';

/** Several clients at once, so that each change of a deployment meets some requests. */
const CLIENTS = 2;

/** Clients send requests one after the other until something has ended. @returns all answers */
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

/** Requests one after another, all of which must be answered: a step. */
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

/** The emulator's answer when it ended the process of a request. */
const KILLED = /Worker process died/;

/**
 * Requests during a change of the deployment, all of which must be answered. On AWS a function finishes its requests after its code has
 * changed; the emulator ends it.
 * @returns how many requests it ended
 */
export function reportChange(reporter: Reporter, step: string, answers: readonly DeployedAnswer[]): number {
  const killed = answers.filter(({ failure }) => failure !== undefined && KILLED.test(failure));
  reportAnswered(
    reporter,
    step,
    answers.filter((answer) => !killed.includes(answer)),
  );
  if (killed.length > 0) {
    const says = `it ended ${killed.length} requests of a function whose code changed; on AWS they come to their end`;
    reporter.notPossible(step, says);
  }
  return killed.length;
}

function reportAnswered(reporter: Reporter, step: string, answers: readonly DeployedAnswer[]): void {
  const areAnswered = answers.length > 0 && answers.every(({ status }) => status === 200);
  reporter.done(step, areAnswered, `${statusesOf(answers)}; ${totalRub(answers)} RUB reported`);
}

/** A client that comes again when the gateway is busy, as SDKs do. */
const COMES_AGAIN_WITHIN_MS = 480_000;
/** Each wait is twice as long as the one before, and a random part of it is left out, so that clients spread. */
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

export interface PatientAnswers {
  /** The last answer of each client. */
  answers: DeployedAnswer[];
  /** Times that the gateway was busy, or took no connection. */
  busy: number;
}

/** Clients that all begin at once, and come again as long as the gateway is busy. */
export async function askTogether(gateway: DeployedGateway, key: string, clients: number): Promise<PatientAnswers> {
  const deadlineMs = performance.now() + COMES_AGAIN_WITHIN_MS;
  let busy = 0;
  const client = async () => {
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      const answer = await gateway.ask(key);
      if (!isToComeAgain(answer) || performance.now() > deadlineMs) return answer;
      busy += 1;
      await sleep(waitMs * Math.random());
    }
  };
  return { answers: await Promise.all(Array.from({ length: clients }, client)), busy };
}

/** A connection that was never made had no request. */
function isToComeAgain({ status, failure }: DeployedAnswer): boolean {
  return status === BUSY || (status === 0 && failure?.includes('ConnectTimeoutError') === true);
}

/** The gateway's answer when its table, or a function, does not answer in time: nothing was sent to a provider. */
const BUSY = 529;
