import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { datesBetween, utcDate } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { GatewayError, notFound } from '../../../lambdas/platform/errors.ts';
import { generationIdOf, generationTimeMs, spreadId } from '../../../lambdas/platform/ids.ts';
import { readGeneration } from '../../../lambdas/store/generations/generation-queries.ts';
import { readRefusal } from '../../../lambdas/store/generations/refusals.ts';
import {
  requestsOfDay,
  requestStatuses,
  type PastRequest,
} from '../../../lambdas/store/generations/request-history.ts';
import { parseCount, parseDate } from '../command-line/arguments.ts';
import { namedKey } from '../accounts/named-key.ts';
import {
  FAILED_BEFORE,
  describedGeneration,
  describedRefusal,
  isIn,
  requestRow,
  requestTableRow,
} from './request-rows.ts';
import { onAccount, type Session } from '../session/session.ts';

const DEFAULT_COUNT = 30;
/** Maximum number of listed days. It limits the cost: even a day without requests costs several reads. */
const MAX_LISTED_DAYS = 400;

export function addGenerationCommands(program: Command): void {
  const generations = program
    .command('generations')
    .description('single requests: cost, result, and reason of a refusal');
  generations
    .command('list')
    .description('list requests, newest first; times are UTC')
    .addOption(new Option('--date <UTC day>', 'default: today').argParser(parseDate).conflicts(['from', 'to']))
    .option('--from <UTC day>', 'first day of a range', parseDate)
    .option('--to <UTC day>', 'last day of a range; default: today', parseDate)
    .option('--key <name, label or hash>', 'only this key')
    .option('--member <id>', 'only this member')
    .option('--model <id>', 'only this model')
    .addOption(
      new Option('--status <status>', 'only requests with this status').choices([...requestStatuses, FAILED_BEFORE]),
    )
    .option('--limit <n>', 'maximum number of requests', parseCount, DEFAULT_COUNT)
    .option('--before <gen- id>', 'only older requests: pass the last id of a list to continue it', parseGenerationId)
    .action(onAccount(requestRows, { shown: requestTableRow }));
  generations
    .command('show')
    .description('print one request: its price, attempts and times, or the reason of its refusal')
    .addArgument(new Argument('<id>', 'gen-… or req_…, from the headers of the response').argParser(parseRequestId))
    .action((id: string, given: object, command: Command) => onAccount((session) => show(session, id))(given, command));
}

function parseGenerationId(text: string): string {
  if (generationTimeMs(text) !== undefined) return text;
  throw new InvalidArgumentError('Use the id of a request: gen- followed by a UUID.');
}

/** Parses the id of a request or of its generation. Both have the same digits after the prefix. */
function parseRequestId(text: string): string {
  const id = generationIdOf(text) ?? text;
  if (generationTimeMs(id) !== undefined) return id;
  throw new InvalidArgumentError(
    'Use the id of a request: gen-… from the header x-generation-id, or req_… from the header request-id.',
  );
}

interface RequestListOptions {
  date?: string;
  from?: string;
  to?: string;
  key?: string;
  member?: string;
  model?: string;
  status?: string;
  limit: number;
  before?: string;
}

async function requestRows(session: Session, { key: named, limit, status, ...options }: RequestListOptions) {
  const keyHash = named === undefined ? undefined : (await namedKey(session, named)).hash;
  const rows: ReturnType<typeof requestRow>[] = [];
  for await (const request of requestsOf(session, daysOf(options), options.before)) {
    const row = requestRow(request);
    if (!isIn(row, { ...options, keyHash, status: status === FAILED_BEFORE ? 'refused_before' : status })) continue;
    rows.push(row);
    if (rows.length < limit) continue;
    process.stderr.write(`There may be more. Continue with --before ${row.id}\n`);
    break;
  }
  return rows;
}

async function* requestsOf(
  { table, accountId }: Session,
  days: string[],
  before: string | undefined,
): AsyncGenerator<PastRequest, void> {
  for (const date of days) yield* requestsOfDay(table, accountId, date, before);
}

/**
 * Returns the days of a list, newest first.
 * @throws {GatewayError} 400 if `from` is later than `to`, or there are too many days
 */
function daysOf({ date, from, to, before }: Pick<RequestListOptions, 'date' | 'from' | 'to' | 'before'>): string[] {
  const last = [date ?? to ?? utcDate(nowMs()), ...(before ? [utcDate(generationTimeMs(before)!)] : [])].toSorted()[0]!;
  const first = date ?? from ?? last;
  const dates = datesBetween(first, last);
  if (dates.length > MAX_LISTED_DAYS)
    throw new GatewayError('invalid_request', `The range has more than ${MAX_LISTED_DAYS} days. Use a later --from.`);
  if (to !== undefined && first > to)
    throw new GatewayError('invalid_request', '--from is later than --to. Exchange them.');
  return dates.toReversed();
}

async function show({ table, accountId }: Session, id: string) {
  // The records of a busy account store a request under another form of its id, so both forms are tried.
  for (const recorded of new Set([id, spreadId(id)])) {
    const generation = await readGeneration(table, accountId, recorded);
    if (generation) return describedGeneration(generation);
    const refusal = await readRefusal(table, accountId, recorded);
    if (refusal) return describedRefusal(refusal);
  }
  throw notFound(
    `Account ${accountId} has no request "${id}". Refusals are kept for thirty days; those without a valid key are only in the log.`,
  );
}
