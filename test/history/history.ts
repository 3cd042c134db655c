/**
 * Runs a history: a gateway is under load while its processes are killed and its table fails; then its books are
 * compared.
 */

import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTable } from '../../lambdas/store/table/table.ts';
import { LOCAL_TABLE, createTable, startDynamodb } from '../../lib/shared/database/dynamodb.ts';
import { randomFrom } from '../support/random.ts';
import { startRulesProxy, type RulesProxy } from '../support/table-rules/rules-proxy.ts';
import type { FaultShares } from '../support/table-rules/random-faults.ts';
import { checkBooks, isSettled, type Checked } from './checked-books.ts';
import { Customers } from './customers.ts';
import { GatewayProcesses, isAlive } from './gateway-processes.ts';
import { anyBlow, type Aftermath } from './mischief.ts';
import { startProviders } from './providers.ts';
import { scanTable, type RawItem } from './raw-table.ts';
import type { ClockSpan } from './reported-costs.ts';
import { Traffic } from './traffic.ts';

export interface HistoryOptions {
  minutes: number;
  seed: number;
  /** Whether the gateway has a server, which takes leases. */
  hasServer: boolean;
  perSecond: number;
  /** Share of the calls to the table that are refused or lost. */
  faults: number;
  /** Minutes between two checks of the books. */
  checkEvery: number;
  /** Directory of the history, initially empty. */
  directory: string;
  say: (line: string) => void;
}

export interface HistoryReport {
  seed: number;
  requests: Record<string, number>;
  changes: Record<string, number>;
  blows: Record<string, number>;
  faults: Record<string, number>;
  starts: { tried: number; failed: number; twice: number; outlived: Record<string, number>; clockSteps: number };
  /** Warnings and errors in the gateway's log, with their number. */
  logged: Record<string, number>;
  checks: Checked[];
  passed: boolean;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Simulated time in ms for which a transaction locks its items. DynamoDB does not document its own time. */
const TRANSACTION_MS = 5;
/** Time between two disturbances (kills, pauses or signals). */
const [LEAST_CALM_MS, MOST_CALM_MS] = [4_000, 15_000];
const CHANGES_EVERY_MS = 3_000;
const MAX_STARTS = 12;
/** Factor for the share of faults during a start, because each fault may end the start. */
const FAULTS_AT_START = 0.1;
const SETTLES_WITHIN_MS = 8 * MINUTE_MS;
/** Share of starts that move the clock to shortly before the next midnight. */
const CLOCK_STEPS = 0.2;

export class History {
  readonly #options: HistoryOptions;
  readonly #random: () => number;
  readonly #data: string;
  readonly #logFile: string;
  readonly #clocks: ClockSpan[] = [];
  readonly #started = new Set<number>();
  readonly #builds = new Set<string>();
  readonly #report: HistoryReport;
  #gateway!: GatewayProcesses;
  #proxy!: RulesProxy;
  #emulator = '';
  #catalogPath = '';
  #customers!: Customers;
  #traffic!: Traffic;
  #offsetMs = 0;

  private constructor(options: HistoryOptions) {
    this.#options = options;
    this.#random = randomFrom(options.seed);
    this.#data = join(options.directory, 'data');
    this.#logFile = join(options.directory, 'gateway.log');
    this.#report = {
      seed: options.seed,
      requests: {},
      changes: {},
      blows: {},
      faults: {},
      starts: { tried: 0, failed: 0, twice: 0, outlived: {}, clockSteps: 0 },
      logged: {},
      checks: [],
      passed: false,
    };
  }

  static async run(options: HistoryOptions): Promise<HistoryReport> {
    mkdirSync(options.directory, { recursive: true });
    const dynamodb = await startDynamodb(undefined);
    await createTable(dynamodb.endpoint, LOCAL_TABLE);
    const history = new History(options);
    const proxy = await startRulesProxy(dynamodb.endpoint, { seed: options.seed, transactionMs: TRANSACTION_MS });
    const providers = await startProviders();
    try {
      history.#emulator = dynamodb.endpoint;
      history.#proxy = proxy;
      history.#catalogPath = providers.catalogPath;
      return await history.#live();
    } finally {
      history.#endAll();
      await proxy.stop();
      await providers.stop();
      await dynamodb.stop();
    }
  }

  async #live(): Promise<HistoryReport> {
    const { minutes, perSecond, checkEvery, say } = this.#options;
    await this.#start();
    this.#customers = new Customers(openTable({ endpoint: this.#proxy.endpoint, name: LOCAL_TABLE }), this.#random);
    await this.#customers.settle(this.#gateway.ready, this.#data);
    this.#traffic = new Traffic({ keys: this.#customers.keys, random: this.#random, perSecond });
    this.#traffic.movedTo(this.#gateway.ready);
    const endAtMs = Date.now() + minutes * MINUTE_MS;
    let checkAtMs = Date.now() + checkEvery * MINUTE_MS;
    this.#goOn();
    const telling = setInterval(() => say(this.#progress()), MINUTE_MS);
    const changing = setInterval(() => void this.#customers.change(), CHANGES_EVERY_MS);
    try {
      while (Date.now() < endAtMs) {
        await sleep(LEAST_CALM_MS + this.#random() * (MOST_CALM_MS - LEAST_CALM_MS));
        await this.#strike();
        if (Date.now() < checkAtMs) continue;
        await this.#halt();
        await this.#check('checkpoint');
        this.#goOn();
        checkAtMs = Date.now() + checkEvery * MINUTE_MS;
      }
      clearInterval(changing);
      await this.#halt();
      await this.#lastCheck();
    } finally {
      clearInterval(changing);
      clearInterval(telling);
    }
    return this.#finished();
  }

  #goOn(): void {
    this.#proxy.rules.suffer(this.#shares(1), this.#newSeed());
    this.#traffic.begin();
  }

  async #halt(): Promise<void> {
    this.#proxy.rules.suffer({});
    await this.#traffic.end();
    await this.#proxy.rules.whenQuiet();
  }

  #shares(part: number): FaultShares {
    const share = this.#options.faults * part;
    return { conflicts: 0.3 * share, throttles: 0.3 * share, lostReplies: 0.25 * share, lostRequests: 0.15 * share };
  }

  #newSeed(): number {
    return Math.floor(this.#random() * 2 ** 31);
  }

  async #strike(): Promise<void> {
    const [name, { strike }] = anyBlow(this.#random, this.#options.hasServer);
    count(this.#report.blows, name);
    this.#note(`blow: ${name}`);
    await this.#recover(await strike(this.#gateway, this.#random));
  }

  async #recover(aftermath: Aftermath): Promise<void> {
    if (aftermath === 'runs' && !this.#gateway.hasEnded) return;
    const old = this.#gateway;
    await old.signal('front', 'SIGTERM');
    if (!(await old.endsWithin(30_000))) old.killAll();
    await sleep(this.#random() * 1_500);
    await (aftermath === 'start twice' ? this.#startTwice() : this.#start());
    for (const role of old.survivors()) count(this.#report.starts.outlived, role);
    this.#traffic.movedTo(this.#gateway.ready);
    this.#customers.movedTo(this.#gateway.ready);
    this.#proxy.rules.suffer(this.#shares(1), this.#newSeed());
  }

  /** Starts the gateway. A fault of the table may end a start, so there are several attempts. */
  async #start(): Promise<void> {
    if (this.#report.starts.tried > 0 && this.#random() < CLOCK_STEPS) this.#stepClock();
    for (let turn = 1; ; turn += 1) {
      this.#proxy.rules.suffer(this.#report.starts.tried === 0 ? {} : this.#shares(FAULTS_AT_START), this.#newSeed());
      try {
        this.#took(await this.#startOne());
        return;
      } catch (error) {
        this.#report.starts.failed += 1;
        this.#note(String(error));
        if (turn === MAX_STARTS) throw error;
        await sleep(1_000);
      }
    }
  }

  /** Starts two gateways on one directory, one of which must end. */
  async #startTwice(): Promise<void> {
    this.#proxy.rules.suffer({});
    const second = sleep(this.#random() * 2_500).then(() => this.#startOne());
    const started = (await Promise.allSettled([this.#startOne(), second])).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    const [kept, ...others] = started;
    if (!kept) return this.#start();
    if (others.length > 0) this.#report.starts.twice += 1;
    // If both gateways have started, clients of the first gateway continue to use its addresses.
    if (others.length > 0) this.#traffic.movedTo(kept.ready);
    this.#took(others[0] ?? kept);
  }

  async #startOne(): Promise<GatewayProcesses> {
    this.#report.starts.tried += 1;
    const gateway = await GatewayProcesses.start({
      data: this.#data,
      endpoint: this.#proxy.endpoint,
      catalogPath: this.#catalogPath,
      hasServer: this.#options.hasServer,
      logFile: this.#logFile,
      clockOffsetMs: this.#offsetMs,
    });
    for (const pid of gateway.pids) this.#started.add(pid);
    for (const build of gateway.builds) this.#builds.add(build);
    return gateway;
  }

  #took(gateway: GatewayProcesses): void {
    this.#gateway = gateway;
    this.#clocks.push({ fromMs: gateway.startedAtMs, offsetMs: gateway.clockOffsetMs });
    this.#note(`started, its clock at ${new Date(Date.now() + this.#offsetMs).toISOString()}`);
  }

  #stepClock(): void {
    const nowMs = Date.now() + this.#offsetMs;
    const toMidnightMs = DAY_MS - (nowMs % DAY_MS);
    this.#offsetMs += Math.max(0, toMidnightMs - 15_000);
    this.#report.starts.clockSteps += 1;
  }

  async #check(name: string, more: { isLast: boolean } = { isLast: false }): Promise<void> {
    const checked = await checkBooks({
      name,
      endpoint: this.#emulator,
      nowMs: () => Date.now() + this.#offsetMs,
      ceilings: this.#customers.ceilings,
      reported: this.#traffic.reported,
      clocks: this.#clocks,
      data: this.#data,
      keep: (items) => this.#keep(name, items),
      ...more,
    });
    this.#report.checks.push(checked);
    const { differences, records, leases } = checked;
    this.#options.say(
      `${name}: ${records.final} records, ${records.pending} pending, ${leases.returned} leases, ${leases.open} open; ${differences.length} differences`,
    );
    for (const { kind, where, stored, expected } of differences)
      this.#note(`difference: ${kind}, ${where}: ${stored}, should be ${expected}`);
  }

  /** Writes the items of the table into a file. The table itself is only in memory. */
  #keep(name: string, items: readonly RawItem[]): void {
    const lines = items.map((item) => `${JSON.stringify(item)}\n`);
    writeFileSync(join(this.#options.directory, `table ${name}.jsonl`), lines.join(''));
  }

  /**
   * Checks the books after the last request. By the gateway's clock, this check runs after two midnights, so that
   * remaining holds are swept and days are rolled up.
   */
  async #lastCheck(): Promise<void> {
    await this.#gateway.signal('server', 'SIGCONT');
    await this.#gateway.signal('front', 'SIGTERM');
    await this.#gateway.endsWithin(60_000);
    for (const role of this.#gateway.survivors()) count(this.#report.starts.outlived, role);
    this.#endAll();
    const nowMs = Date.now() + this.#offsetMs;
    this.#offsetMs += 2 * DAY_MS - (nowMs % DAY_MS) + 10 * MINUTE_MS + 50_000;
    this.#proxy.rules.suffer({});
    this.#took(await this.#startOne());
    const deadlineMs = Date.now() + SETTLES_WITHIN_MS;
    while (!isSettled(await scanTable(this.#emulator, LOCAL_TABLE)) && Date.now() < deadlineMs) await sleep(5_000);
    await this.#check('at the end', { isLast: true });
    await this.#gateway.signal('front', 'SIGTERM');
    await this.#gateway.endsWithin(60_000);
  }

  #finished(): HistoryReport {
    const report = this.#report;
    report.requests = this.#traffic.seen;
    report.changes = this.#customers.answers;
    report.faults = { ...this.#proxy.rules.imposed };
    report.logged = loggedMessages(this.#logFile);
    report.passed = report.starts.twice === 0 && report.checks.every(({ differences }) => differences.length === 0);
    return report;
  }

  #progress(): string {
    const { blows, starts } = this.#report;
    const struck = Object.values(blows).reduce((sum, one) => sum + one, 0);
    const refused = Object.values(this.#proxy.rules.imposed).reduce((sum, one) => sum + one, 0);
    return `${this.#traffic.requests} requests, ${struck} blows, ${starts.tried} starts (${starts.failed} failed), ${refused} faults of the table`;
  }

  #note(line: string): void {
    appendFileSync(join(this.#options.directory, 'history.log'), `${new Date().toISOString()} ${line}\n`);
  }

  /** Ends the processes of every start, also paused ones. */
  #endAll(): void {
    for (const pid of this.#started) {
      if (!isAlive(pid)) continue;
      process.kill(pid, 'SIGKILL');
    }
    for (const build of this.#builds) rmSync(build, { recursive: true, force: true });
  }
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

function loggedMessages(file: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, level] = /"level":"(error|warn)"/.exec(line) ?? [];
    const [, message] = /"message":"([^"]+)"/.exec(line) ?? [];
    if (level !== undefined && message !== undefined) count(counts, `${level}: ${message}`);
  }
  return counts;
}
