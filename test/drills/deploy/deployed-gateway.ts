/** Gateway that is deployed in the emulator. */

import { setTimeout as sleep } from 'node:timers/promises';
import { DRILL_MODEL } from './drill-provider.ts';
import { runProgram, type Outputs } from './cdk.ts';
import type { MiniStack } from './ministack.ts';
import { rounded } from '../roubles.ts';

export interface DeployedAnswer {
  status: number;
  /** Cost in the response; undefined unless the status is 200. */
  costRub: number | undefined;
  /** Body of an error response, or the reason why there was no response. */
  failure?: string;
}

export interface Customer {
  accountId: string;
  key: string;
  managementKey: string;
}

/** Amounts that a key has spent, and that are held within its limit. */
interface Spending {
  spentRub: number;
  heldRub: number;
}

const TABLE_OUTPUT = 'TableName';
/** Timeout of a request in ms. The emulator may need minutes to start sixty functions on a busy machine. */
const REQUEST_TIMEOUT_MS = 280_000;
const SETTLED_WITHIN_MS = 240_000;
const LOOK_EVERY_MS = 1_000;

export class DeployedGateway {
  readonly #emulator: MiniStack;
  readonly #outputs: Record<string, string>;
  /** Base URL for clients of models. */
  url: string;

  constructor(emulator: MiniStack, outputs: Outputs) {
    this.#emulator = emulator;
    this.#outputs = Object.assign({}, ...Object.values(outputs)) as Record<string, string>;
    this.url = this.apiUrl;
  }

  /** Base URL of the API. Its path names the API, because the emulator does not support host names. */
  get apiUrl(): string {
    const [id] = new URL(this.#outputs['BaseUrl']!).host.split('.');
    return `${this.#emulator.endpoint}/_aws/execute-api/${id}/v1`;
  }

  get streamingUrl(): string {
    const [id] = new URL(this.#outputs['StreamingUrl']!).host.split('.');
    return `${this.#emulator.endpoint}/_aws/lambda-url/${id}/v1`;
  }

  output(name: string): string | undefined {
    return this.#outputs[name];
  }

  /**
   * Runs `bin/admin.ts` of the sources in a directory, and returns its JSON output.
   * @throws {StartFailure} if the command fails
   */
  async admin(checkout: string, ...args: string[]): Promise<Record<string, unknown>> {
    const { endpoint, environment } = this.#emulator;
    const target = ['--table', this.#outputs[TABLE_OUTPUT]!, '--pepper-secret', this.#outputs['PepperSecretArn']!];
    const services = ['DYNAMODB', 'SECRETS_MANAGER', 'SQS', 'KMS'];
    const own = Object.fromEntries(services.map((name) => [`AWS_ENDPOINT_URL_${name}`, endpoint]));
    const output = await runProgram(['bin/admin.ts', ...target, '--json', ...args], {
      cwd: checkout,
      env: { ...environment, ...own },
    });
    return JSON.parse(output) as Record<string, unknown>;
  }

  async newCustomer(checkout: string, name: string): Promise<Customer> {
    const accountId = String((await this.admin(checkout, 'accounts', 'create', '--name', name))['id']);
    const keyOf = async (...more: string[]) =>
      String((await this.admin(checkout, '--account', accountId, 'keys', 'create', '--name', name, ...more))['key']);
    return { accountId, key: await keyOf(), managementKey: await keyOf('--kind', 'management') };
  }

  async limitedKey(checkout: string, { accountId }: Customer, limitRub: string): Promise<string> {
    const limit = ['--name', 'Limited', '--limit', limitRub];
    return String((await this.admin(checkout, '--account', accountId, 'keys', 'create', ...limit))['key']);
  }

  async ask(key: string, url = this.url): Promise<DeployedAnswer> {
    const messages = [{ role: 'user', content: 'Hello\n@sandbox delay=0' }];
    try {
      const response = await fetch(`${url}/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: DRILL_MODEL, max_tokens: 20, messages }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      const { status } = response;
      if (status !== 200) return { status, costRub: undefined, failure: text };
      return { status, costRub: (JSON.parse(text) as { usage: { cost: number } }).usage.cost };
    } catch (error) {
      return { status: 0, costRub: undefined, failure: String((error as Error).cause ?? error) };
    }
  }

  async spendingOf(key: string): Promise<Spending> {
    const response = await fetch(`${this.apiUrl}/key`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as {
      data: { usage: number; limit: number | null; limit_remaining: number | null };
    };
    const heldRub = data.limit === null ? 0 : rounded(data.limit - data.usage - data.limit_remaining!);
    return { spentRub: data.usage, heldRub };
  }

  /** Waits until a key has spent an amount and nothing is held, and returns the last observed amounts. */
  async untilSpent(key: string, rub: number, unreportedRub: number): Promise<Spending & { isExact: boolean }> {
    const deadlineMs = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const seen = await this.spendingOf(key).catch(() => ({ spentRub: Number.NaN, heldRub: Number.NaN }));
      const extraRub = rounded(seen.spentRub - rub);
      const isExact = extraRub >= 0 && extraRub <= rounded(unreportedRub) && seen.heldRub === 0;
      if (isExact || performance.now() > deadlineMs) return { ...seen, isExact };
      await sleep(LOOK_EVERY_MS);
    }
  }
}

const MAX_SHOWN = 300;

/** Counts responses per status, with one body for each unexpected status. */
export function statusesOf(answers: readonly DeployedAnswer[]): string {
  const groups = Object.groupBy(answers, ({ status }) => String(status));
  return Object.entries(groups)
    .map(([status, of]) => {
      const count = `${of!.length} × ${status === '0' ? 'no answer' : status}`;
      return status === '200' || status === '402' ? count : `${count} (${of![0]!.failure?.slice(0, MAX_SHOWN)})`;
    })
    .join(', ');
}
