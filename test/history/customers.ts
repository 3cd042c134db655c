/** Accounts, workspaces, members and keys of a history, and the changes of their owners. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { topUp } from '../../lambdas/management/balance.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import type { ChangeContext } from '../../lambdas/management/change.ts';
import { setReportedTags } from '../../lambdas/management/reported-tags.ts';
import { Money } from '../../lambdas/money/money.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { persistently } from '../support/persistence.ts';
import type { Ceilings, Period } from './counter-books.ts';
import { picoOf } from './raw-table.ts';
import { reportedTags } from './requests.ts';
import type { ReadyLine } from './gateway-processes.ts';

export interface CustomerKey {
  name: string;
  secret: string;
  /** Relative frequency of requests with the key. */
  weight: number;
}

interface Change {
  method: string;
  path: string;
  body: object;
}

type Random = () => number;

const actor = { kind: 'operator', id: 'history' } as const;
const FIRST_PAYMENT = '40';
/** High limit in RUB, because a process takes leases only if much money remains. */
const AMPLE = 1_000_000;

export class Customers {
  readonly keys: CustomerKey[] = [];
  readonly ceilings: Ceilings = new Map();
  readonly #table: Table;
  readonly #random: Random;
  #baseUrl = '';
  #managementKey = '';
  #prepaid: ChangeContext | undefined;
  #payments = 0;
  readonly #hashes: Record<string, string> = {};
  #workspaces = { main: '', second: '' };
  /** Number of changes, by status or failure. */
  readonly answers: Record<string, number> = {};

  constructor(table: Table, random: Random) {
    this.#table = table;
    this.#random = random;
  }

  /**
   * Creates the customers.
   * @param ready first start of the gateway, before faults begin
   */
  async settle(ready: ReadyLine, data: string): Promise<void> {
    this.#baseUrl = ready.base_url;
    this.#managementKey = ready.management_key!;
    const second = await this.#ask('POST', '/workspaces', { name: 'Second', slug: 'second' });
    await this.#ask('PUT', '/tags', { reported: reportedTags });
    this.#workspaces = { main: ready.workspace_id, second: (second['data'] as { id: string }).id };
    await this.#ask('POST', `/workspaces/${this.#workspaces.main}/members/add`, { user_ids: ['ann'] });
    await this.#budget('main', 'monthly', AMPLE);
    await this.#budget('second', 'daily', 40);
    await this.#memberBudget(60);
    this.keys.push({ name: 'unlimited', secret: ready.inference_key!, weight: 6 });
    await this.#key('hot', 70, { limit: AMPLE, limit_reset: 'monthly' });
    await this.#key('small', 5, { limit: 25 });
    await this.#key('daily', 10, { limit: 20, limit_reset: 'daily' });
    await this.#key('member', 7, { member_id: 'ann' });
    await this.#key('second', 8, { workspace_id: this.#workspaces.second });
    await this.#key('toggled', 4, { limit: AMPLE });
    await this.#prepaidAccount(data);
  }

  movedTo({ base_url }: ReadyLine): void {
    this.#baseUrl = base_url;
  }

  /** Makes one random change, which may fail. */
  async change(): Promise<void> {
    const choice = this.#random();
    if (choice < 0.25) return this.#pay(String(1 + Math.floor(this.#random() * 8)));
    if (choice < 0.45) return this.#toggle();
    if (choice < 0.7) return this.#limitKey(this.#random() < 0.5 ? 'daily' : 'small');
    if (choice < 0.85) return this.#budget('second', 'daily', 10 + Math.floor(this.#random() * 80));
    return this.#memberBudget(20 + Math.floor(this.#random() * 120));
  }

  async #key(name: string, weight: number, fields: { limit?: number; limit_reset?: Period } & Record<string, unknown>) {
    const made = await this.#ask('POST', '/keys', { name, ...fields });
    const { hash } = made['data'] as { hash: string };
    this.#hashes[name] = hash;
    this.keys.push({ name, secret: String(made['key']), weight });
    if (fields.limit !== undefined) this.#raise(`key#${hash}`, fields.limit_reset ?? 'lifetime', String(fields.limit));
  }

  async #prepaidAccount(data: string): Promise<void> {
    const { pepper } = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as { pepper: string };
    const account = await createAccount(this.#table, actor, { name: 'Prepaid', mode: 'prepaid' });
    this.#prepaid = { table: this.#table, accountId: account.id, actor };
    await setReportedTags(this.#prepaid, { reported: reportedTags });
    await this.#pay(FIRST_PAYMENT);
    const { secret } = await createKey(this.#prepaid, pepper, {
      kind: 'inference',
      workspaceId: account.defaultWorkspaceId,
      name: 'prepaid',
    });
    this.keys.push({ name: 'prepaid', secret, weight: 6 });
  }

  async #pay(roubles: string): Promise<void> {
    const context = this.#prepaid!;
    this.#payments += 1;
    const payment = { amount: Money.parseNumber(roubles), reference: `payment-${this.#payments}` };
    const scope = `account#${context.accountId}`;
    const paid = this.ceilings.get(scope)?.get('lifetime') ?? 0n;
    this.ceilings.set(scope, new Map([['lifetime', paid + picoOf(roubles)]]));
    await persistently(() => topUp(context, payment)).then(
      () => this.#count('payment'),
      () => this.#count('payment failed'),
    );
  }

  #toggle(): Promise<void> {
    return this.#send({
      method: 'PATCH',
      path: `/keys/${this.#hashes['toggled']}`,
      body: { disabled: this.#random() < 0.5 },
    });
  }

  #limitKey(name: 'daily' | 'small'): Promise<void> {
    const limit = 5 + Math.floor(this.#random() * 60);
    const hash = this.#hashes[name]!;
    this.#raise(`key#${hash}`, name === 'daily' ? 'daily' : 'lifetime', String(limit));
    return this.#send({ method: 'PATCH', path: `/keys/${hash}`, body: { limit } });
  }

  #budget(workspace: 'main' | 'second', period: Period, limit: number): Promise<void> {
    const id = this.#workspaces[workspace];
    this.#raise(`workspace#${id}`, period, String(limit));
    return this.#send({ method: 'PUT', path: `/workspaces/${id}/budgets/${period}`, body: { limit_rub: limit } });
  }

  #memberBudget(limit: number): Promise<void> {
    const id = this.#workspaces.main;
    this.#raise(`member#${id}/ann`, 'weekly', String(limit));
    return this.#send({
      method: 'PUT',
      path: `/workspaces/${id}/members/ann/budgets/weekly`,
      body: { limit_rub: limit },
    });
  }

  /** Records a limit before it is requested, because a change whose response is lost may have been made. */
  #raise(scope: string, period: Period, limit: string): void {
    const ceilings = this.ceilings.get(scope) ?? new Map<Period, bigint>();
    this.ceilings.set(scope, ceilings);
    const pico = picoOf(limit);
    if (pico > (ceilings.get(period) ?? 0n)) ceilings.set(period, pico);
  }

  async #send({ method, path, body }: Change): Promise<void> {
    const response = await this.#fetch(method, path, body).catch(() => undefined);
    this.#count(`${method} ${response?.status ?? 'no answer'}`);
    await response?.text().catch(() => undefined);
  }

  async #ask(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    const response = await this.#fetch(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }

  #fetch(method: string, path: string, body: object): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  }

  #count(what: string): void {
    this.answers[what] = (this.answers[what] ?? 0) + 1;
  }
}
