import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { History, type HistoryOptions } from './history.ts';
import { reportText } from './report.ts';

const usage = `Runs a gateway under load, kills its processes, lets its table fail, and compares its books with its records.

Usage: npm run history -- [options]

  --minutes <n>      duration of the load (1)
  --web              with the server, which takes leases
  --seed <n>         seed of all random choices (a random seed)
  --rate <n>         requests per second (20)
  --faults <share>   share of the table's calls that are refused or lost (0.08)
  --check-every <n>  minutes between two checks of the books (5)
  --json             print the report as JSON

The exit code is 1 if any check fails. The data directory is then not removed.`;

const { values } = toolArguments(usage, {
  options: {
    minutes: { type: 'string', default: '1' },
    web: { type: 'boolean', default: false },
    seed: { type: 'string' },
    rate: { type: 'string', default: '20' },
    faults: { type: 'string', default: '0.08' },
    'check-every': { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});

function numberFlag(name: string, text: string, { min, max }: { min: number; max: number }): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= min && number <= max) return number;
  process.stderr.write(`--${name} must be a number from ${min} to ${max}.\n`);
  process.exit(1);
}

// The history's calls to the table use the settings of a local gateway.
process.env['GATEWAY_LOCAL'] = '1';
const say = (line: string) => void process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
const options: HistoryOptions = {
  minutes: numberFlag('minutes', values.minutes, { min: 0.1, max: 600 }),
  seed: numberFlag('seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), { min: 0, max: 2 ** 31 }),
  hasServer: values.web,
  perSecond: numberFlag('rate', values.rate, { min: 0.1, max: 200 }),
  faults: numberFlag('faults', values.faults, { min: 0, max: 0.5 }),
  checkEvery: numberFlag('check-every', values['check-every'], { min: 0.1, max: 600 }),
  directory: mkdtempSync(join(tmpdir(), 'gateway-history-')),
  say,
};
say(`seed ${options.seed}, ${options.directory}`);
const report = await History.run(options);
process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report, options.directory));
if (report.passed) rmSync(options.directory, { recursive: true, force: true });
process.exit(report.passed ? 0 : 1);
