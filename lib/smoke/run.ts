import { parseArgs } from 'node:util';
import { StartFailure } from '../shared/failure.ts';
import { table as asTable, type Row } from '../shared/output.ts';
import { smokeChecks, type Findings, type SmokeCheck } from './checks.ts';
import { FailedError, SkippedError, type Target } from './target.ts';

const smokeUsage = `Checks a deployment from outside, as its clients see it, and prints a report. It sends two or three requests for a few hundred tokens to one model.

  npm run smoke -- --url <base URL> --key <inference key> [options]

  --url <url>              base URL, with /v1: the output BaseUrl of the API stack, or that of npm start
  --key <key>              an inference key; or GATEWAY_KEY in the environment
  --management-key <key>   also check management routes; or MANAGEMENT_KEY in the environment
  --streaming-url <url>    also check streaming from the function URL (output StreamingUrl)
  --model <id>             the model to call; default: the cheapest that the key may use
  --origin <origin>        check that pages of this origin can call the gateway, for example https://app.example.com
  --settled-within <s>     maximum seconds until a settlement; default: 30
  --json                   print JSON for programs
  --help                   print this

The exit code is 1 when a check has failed.
`;

interface CheckResult {
  check: string;
  result: 'ok' | 'failed' | 'skipped';
  ms: number;
  says: string;
}

/** Runs the checks in order. Skips checks that need a model or an accepted key, if earlier checks found none. */
async function runChecks(target: Target, done: (result: CheckResult) => void = () => {}): Promise<CheckResult[]> {
  const findings: Findings = {};
  const results: CheckResult[] = [];
  for (const one of smokeChecks) {
    const result = await runCheck(one, target, findings);
    results.push(result);
    done(result);
  }
  return results;
}

async function runCheck({ name, needs, run }: SmokeCheck, target: Target, findings: Findings): Promise<CheckResult> {
  const begunAtMs = performance.now();
  const of = (result: CheckResult['result'], says: string): CheckResult => {
    return { check: name, result, ms: Math.round(performance.now() - begunAtMs), says };
  };
  if (needs && findings.isKeyRefused) return of('skipped', 'the key is refused, so this cannot be checked');
  if (needs === 'model' && findings.model === undefined) return of('skipped', 'no model was found to call');
  try {
    return of('ok', await run(target, findings));
  } catch (error) {
    if (error instanceof SkippedError) return of('skipped', error.message);
    if (error instanceof FailedError) return of('failed', error.message);
    return of('failed', `unexpected response: ${(error as Error).message}`);
  }
}

/**
 * Runs the smoke test.
 * @returns the exit code
 * @throws {StartFailure} if options are missing or invalid
 */
export async function runSmoke(args: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { values } = parsedOptions(args);
  if (values.help) {
    process.stdout.write(smokeUsage);
    return 0;
  }
  const target = targetOf(values, environment);
  const results = await runChecks(target, ({ check }) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${check}`);
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
  const failed = results.filter(({ result }) => result === 'failed').length;
  if (values.json)
    process.stdout.write(`${JSON.stringify({ url: target.url, passed: failed === 0, results }, null, 2)}\n`);
  else process.stdout.write(smokeReport(results, failed));
  return failed === 0 ? 0 : 1;
}

function smokeReport(results: readonly CheckResult[], failed: number): string {
  const rows = results.map(({ says, ...row }): Row => ({ ...row, says }));
  // The table cuts long texts, so failures are printed again completely.
  const failures = results.filter(({ result }) => result === 'failed').map(({ check, says }) => `${check}: ${says}\n`);
  const verdict = failed === 0 ? 'All checks passed.' : `${failed} of ${results.length} checks FAILED.`;
  return `${asTable(rows)}\n${failures.join('')}${verdict}\n`;
}

function parsedOptions(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      options: {
        url: text,
        key: text,
        'management-key': text,
        'streaming-url': text,
        model: text,
        origin: text,
        'settled-within': { type: 'string', default: '30' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new StartFailure(`${(error as Error).message}\n(--help lists the options)`);
  }
}

type Given = ReturnType<typeof parsedOptions>['values'];

function targetOf(given: Given, environment: NodeJS.ProcessEnv): Target {
  const key = given.key ?? environment['GATEWAY_KEY'];
  if (given.url === undefined || key === undefined) {
    throw new StartFailure('Pass the deployment to check with --url and --key. (--help lists the options)');
  }
  refuseKind(key, { prefix: 'mk-', option: '--key', wanted: 'an inference key (sk-mg-v1-…)' });
  const managementKey = given['management-key'] ?? environment['MANAGEMENT_KEY'];
  refuseKind(managementKey, { prefix: 'sk-', option: '--management-key', wanted: 'a management key (mk-mg-v1-…)' });
  return {
    url: apiBaseUrl(given.url, '--url'),
    streamingUrl:
      given['streaming-url'] === undefined ? undefined : apiBaseUrl(given['streaming-url'], '--streaming-url'),
    key,
    managementKey,
    model: given.model,
    origin: given.origin,
    settledWithinMs: 1_000 * settledWithinSeconds(given['settled-within']),
  };
}

/**
 * Rejects a management key given as inference key, and vice versa.
 * @throws {StartFailure} if the key is of the wrong kind
 */
function refuseKind(
  key: string | undefined,
  { prefix, option, wanted }: { prefix: string; option: string; wanted: string },
): void {
  if (key?.startsWith(prefix))
    throw new StartFailure(`${option} must be ${wanted}, but this key is of the other kind.`);
}

const MAX_SETTLED_WITHIN_SECONDS = 600;

function settledWithinSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_SETTLED_WITHIN_SECONDS) return seconds;
  throw new StartFailure(
    `--settled-within must be a whole number of seconds from 1 to ${MAX_SETTLED_WITHIN_SECONDS}, not "${text}".`,
  );
}

/** Appends `/v1` if it is missing, because stack outputs may lack it. */
function apiBaseUrl(text: string, option: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new StartFailure(
      `${option} must be a URL such as https://abc.execute-api.eu-central-1.amazonaws.com/v1, not "${text}".`,
    );
  }
  const trimmed = text.replace(/\/+$/, '');
  return trimmed.endsWith('/v1') ? trimmed : `${trimmed}/v1`;
}
