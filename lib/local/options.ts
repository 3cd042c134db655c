import { parseArgs } from 'node:util';
import { DEFAULT_DATA, DEFAULT_PORT } from '../shared/defaults.ts';
import { StartFailure } from '../shared/failure.ts';
import { isoTimeMs } from '../shared/iso-time.ts';

export interface LocalOptions {
  port: number;
  dataDirectory: string;
  ephemeral: boolean;
  catalogDirectory: string | undefined;
  sandboxed: boolean;
  web: boolean;
  /** Maximum number of concurrent runs of each function; undefined means unlimited. */
  concurrency: number | undefined;
  /** Maximum requests per second of all clients, with bursts of twice as many; undefined means unlimited. */
  rateLimit: number | undefined;
  /** Whether each scheduled run is started twice, and may overlap the next run, as EventBridge allows. */
  repeatsSchedules: boolean;
  /** Milliseconds that are added to the system clock. */
  clockOffsetMs: number;
  json: boolean;
  help: boolean;
}

export const usage = `Runs the whole gateway on this machine.

Usage: npm start -- [flags]

  --port <n>        port of the API; the function URL uses the next one; 0 uses any two (default ${DEFAULT_PORT});
                    the variable PORT has no effect
  --data <dir>      directory for keys, generations and counters (default .local/)
  --ephemeral       store nothing: every start is a first start
  --catalog <dir>   use this catalog instead of the one that comes with the code
  --sandboxed       run the synthesized bundles, one process per sandbox, wired from the template
  --web             also run the server that Lambda Web Functions and containers run, and print its address
  --concurrency <n> maximum concurrent runs of each function; further requests get 529 as on AWS, 429 on the function URL
  --rate-limit <n>  maximum requests per second of all clients, with a burst of twice as many; further requests get 429 as on AWS
  --repeat-schedules
                    run scheduled workers as AWS may: twice at the same time, and during the previous run
  --now <ISO time>  start the gateway's clock at this time, for example 2026-11-20T23:59:00Z
  --json            print one line of JSON on standard output when ready; logs go to standard error
                    (npm -s start -- --json omits npm's own two lines)
  --help            show this

To use providers, set their keys in the environment, for example ANTHROPIC_API_KEY or OPENAI_API_KEY.
.env files are not read: export the variables, or run set -a; . ./.env; set +a in your shell.
Only this machine can reach the gateway. From another machine: ssh -L ${DEFAULT_PORT}:127.0.0.1:${DEFAULT_PORT} <this machine>
Without provider keys, use the sandbox/… models, which run on this machine: see docs/sandbox.md.`;

/**
 * Reads the command-line flags.
 * @throws {StartFailure} for an invalid flag
 */
export function parseOptions(args: string[]): LocalOptions {
  const values = readFlags(args);
  if (values.ephemeral && values.data !== undefined) {
    throw new StartFailure('--ephemeral stores nothing, so it cannot be combined with --data. Remove one of them.');
  }
  if (values.sandboxed && values.web) {
    throw new StartFailure('--sandboxed runs functions, and --web runs a server instead. Remove one of them.');
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
    throw new StartFailure(`${flag} must be a whole number of at least 1, not "${text}".`);
  }
  return count;
}

function parseNow(text: string | undefined): number {
  if (text === undefined) return 0;
  const at = isoTimeMs(text);
  if (Number.isNaN(at))
    throw new StartFailure(`--now must be an ISO time such as 2026-11-20T23:59:00Z, not "${text}".`);
  return at - Date.now();
}
