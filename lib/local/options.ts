import { parseArgs } from 'node:util';
import { DEFAULT_DATA, DEFAULT_PORT } from '../shared/defaults.ts';
import { StartFailure } from '../shared/failure.ts';

export interface LocalOptions {
  port: number;
  dataDirectory: string;
  ephemeral: boolean;
  catalogDirectory: string | undefined;
  sandboxed: boolean;
  web: boolean;
  /** How often each function may run at once; undefined where nothing ends that. */
  concurrency: number | undefined;
  /** Requests per second over all clients, twice as many at once; undefined where nothing ends that. */
  rateLimit: number | undefined;
  /** Scheduled workers run as EventBridge may call them: twice at once, and into the next run. */
  repeatsSchedules: boolean;
  /** Milliseconds to add to the system clock. */
  clockOffsetMs: number;
  json: boolean;
  help: boolean;
}

export const usage = `Runs the whole gateway on this machine.

Usage: npm start -- [flags]

  --port <n>        port of the API; the next one is the function URL's; 0 takes any two (default ${DEFAULT_PORT});
                    the variable PORT has no effect
  --data <dir>      where keys, generations and counters are kept (default .local/)
  --ephemeral       keep nothing: every start is a first start
  --catalog <dir>   use this catalog instead of the one that comes with the code
  --sandboxed       run the synthesized bundles, one process per sandbox, wired from the template
  --web             also run the server that Lambda Web Functions and containers run, and print its address
  --concurrency <n> run each function at most so often at once, and refuse more as AWS does: 529, on the function URL 429
  --rate-limit <n>  take so many requests a second over all clients, twice as many at once, and refuse more as AWS does: 429
  --repeat-schedules
                    run scheduled workers as AWS may: twice at once, and while the last run goes on
  --now <ISO time>  start the gateway's clock there, for example 2026-11-20T23:59:00Z
  --json            print one line of JSON on standard output when ready; logs go to standard error
                    (npm's own two lines before it go with: npm -s start -- --json)
  --help            show this

Providers light up when their keys are in the environment, for example ANTHROPIC_API_KEY or OPENAI_API_KEY.
No .env file is read: export the variables, or use set -a; . ./.env; set +a in your shell.
Only this machine reaches the gateway. From another one: ssh -L ${DEFAULT_PORT}:127.0.0.1:${DEFAULT_PORT} <this machine>
Without any, the sandbox/… models answer from this machine: see docs/sandbox.md.`;

/** @throws {StartFailure} naming the flag that is wrong. */
export function parseOptions(args: string[]): LocalOptions {
  const values = readFlags(args);
  if (values.ephemeral && values.data !== undefined) {
    throw new StartFailure('--ephemeral keeps nothing, so there is nothing for --data to name: leave one of them out.');
  }
  if (values.sandboxed && values.web) {
    throw new StartFailure('--sandboxed runs functions, --web runs a server instead of them: leave one of them out.');
  }
  return {
    port: parsePort(values.port),
    dataDirectory: values.data ?? DEFAULT_DATA,
    ephemeral: values.ephemeral,
    catalogDirectory: values.catalog,
    sandboxed: values.sandboxed,
    web: values.web,
    concurrency: parseCountFlag('--concurrency', values.concurrency),
    rateLimit: parseCountFlag('--rate-limit', values['rate-limit']),
    repeatsSchedules: values['repeat-schedules'],
    clockOffsetMs: parseNow(values.now),
    json: values.json,
    help: values.help,
  };
}

function readFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string', default: DEFAULT_PORT },
        data: { type: 'string' },
        ephemeral: { type: 'boolean', default: false },
        catalog: { type: 'string' },
        sandboxed: { type: 'boolean', default: false },
        web: { type: 'boolean', default: false },
        concurrency: { type: 'string' },
        'rate-limit': { type: 'string' },
        'repeat-schedules': { type: 'boolean', default: false },
        now: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new StartFailure(`${(error as Error).message.replace(/\.?$/, '.')} See npm start -- --help.`);
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_534) {
    throw new StartFailure(`--port must be a number from 0 to 65534, not "${text}".`);
  }
  return port;
}

function parseCountFlag(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) {
    throw new StartFailure(`${flag} must be a whole number from 1 on, not "${text}".`);
  }
  return count;
}

function parseNow(text: string | undefined): number {
  if (text === undefined) return 0;
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new StartFailure(`--now must be an ISO time such as 2026-11-20T23:59:00Z, not "${text}".`);
  return at - Date.now();
}
