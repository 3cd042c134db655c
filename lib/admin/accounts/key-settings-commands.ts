import { InvalidArgumentError, Option, type Command } from 'commander';
import { createKey, updateKey, type KeyChange } from '../../../lambdas/management/keys.ts';
import { nameRule } from '../../../lambdas/management/rules.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { windowsAt } from '../../../lambdas/money/periods.ts';
import { nowMs } from '../../../lambdas/platform/clock.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { readCounter } from '../../../lambdas/store/counters/counters.ts';
import type { ApiKey, KeyTags } from '../../../lambdas/store/accounts/keys.ts';
import {
  sensitiveActions,
  sensitiveCategories,
  type SensitiveCategory,
} from '../../../lambdas/store/accounts/sensitive-data.ts';
import type { Table } from '../../../lambdas/store/table/table.ts';
import { parseBoolean, parseFuture, textBy } from '../command-line/arguments.ts';
import { changedTags, parseTag } from './key-tags.ts';
import { namedKey, naming, type KeyOption } from './named-key.ts';
import { operatorPepper } from '../session/operator-pepper.ts';
import type { Row } from '../../shared/output.ts';
import { keyRow } from './rows.ts';
import { onAccount, type Session } from '../session/session.ts';

/**
 * Adds the commands that change settings of keys.
 * @param keys command group to which the commands are added
 */
export function addKeySettingsCommands(keys: Command): void {
  naming(keys.command('set'))
    .description('change the name, expiry, tags or privacy settings of a key; other settings stay unchanged')
    .option('--name <name>', 'new name', textBy(nameRule))
    .option('--expires <ISO time or none>', 'time at which the key stops working', parseEnd)
    .option('--tag <name=value>', 'a tag for reports; an empty value removes the tag; may be repeated', parseTag)
    .option('--protect <categories>', `comma-separated, or "none": ${sensitiveCategories.join(', ')}`, parseCategories)
    .addOption(
      new Option('--action <action>', 'what to do with protected data in a prompt').choices([...sensitiveActions]),
    )
    .option('--restore <true or false>', 'replace placeholders in answers with the original values', parseBoolean)
    .option('--block-logging <true or false>', 'exclude providers that keep prompts', parseBoolean)
    .option('--block-training <true or false>', 'exclude providers that train on prompts', parseBoolean)
    .action(onAccount(changeKeySettings));
  naming(keys.command('rotate'))
    .description('replace a key by a new one with the same settings; the new secret is printed only now')
    .option(
      '--grace <duration>',
      'how long the old key keeps working, e.g. 30m, 24h or 7d (default: not at all)',
      parseDuration,
    )
    .action(onAccount(rotate));
}

interface KeySettingsOptions extends KeyOption {
  name?: string;
  expires?: string;
  tag?: KeyTags;
  protect?: SensitiveCategory[];
  action?: (typeof sensitiveActions)[number];
  restore?: boolean;
  blockLogging?: boolean;
  blockTraining?: boolean;
}

async function changeKeySettings(session: Session, { key: named, ...given }: KeySettingsOptions): Promise<Row> {
  if (Object.keys(given).length === 0)
    throw invalidRequest('--name', 'is missing; pass it or another setting (see --help)');
  const { hash, tags } = await namedKey(session, named);
  const key = await updateKey(session.changes, { hash }, { ...changeOf(given), ...changedTags(tags, given.tag) });
  return { ...keyRow(key, await readCounter(session.table, { kind: 'key', id: hash })), ...protectionRow(key) };
}

function changeOf(given: Omit<KeySettingsOptions, 'key'>): KeyChange {
  const { name, expires, protect, action, restore, blockLogging, blockTraining } = given;
  const isAboutData = protect !== undefined || action !== undefined || restore !== undefined;
  const enabled = protect === undefined ? {} : { enabled: protect.length > 0, categories: protect };
  return {
    name,
    expiresAt: expires === 'none' ? null : expires,
    ...(isAboutData ? { sensitiveData: { ...enabled, action, restore } } : {}),
    privacy: { blockLogging, blockTraining },
  };
}

function protectionRow({ sensitiveData: { enabled, categories, action, restore } }: ApiKey): Row {
  return { protects: enabled ? categories.join(', ') : 'nothing', action: enabled ? action : null, restore };
}

/**
 * Creates a key with the settings of an old key, and ends the old key at once or after a grace period. If the old key
 * has a lifetime limit, the new key gets the unspent rest of it. Spending is counted per key, so a limit that resets
 * applies in full to the new key.
 */
async function rotate(session: Session, { key: named, grace }: KeyOption & { grace?: number }): Promise<Row> {
  const { table, changes } = session;
  const old = await namedKey(session, named);
  const { kind, workspaceId, memberId, name, limitReset, expiresAt, tags, privacy, sensitiveData } = old;
  const limit = await leftOf(table, old);
  const { version: _, ...excludes } = privacy;
  const settings = {
    kind,
    workspaceId,
    memberId,
    name,
    limit,
    limitReset,
    expiresAt,
    tags,
    privacy: excludes,
    sensitiveData,
  };
  const { key, secret } = await createKey(changes, await operatorPepper(session), settings);
  const until = grace === undefined ? undefined : new Date(nowMs() + grace).toISOString();
  const ends = until !== undefined && expiresAt !== undefined && expiresAt < until ? expiresAt : until;
  const end = ends === undefined ? { disabled: true } : { expiresAt: ends };
  await updateKey(changes, { hash: old.hash }, { ...end, name: replacedName(name) });
  return { key: secret, ...keyRow(key), replaces: old.hash, old_works_until: ends ?? 'now' };
}

const REPLACED = ' (replaced)';

/** Returns a new name for the replaced key, so that the previous name selects only the new key. */
function replacedName(name: string): string {
  return `${name.slice(0, nameRule.maxLength - REPLACED.length)}${REPLACED}`;
}

/**
 * Returns the limit of the new key. If the old key has a lifetime limit, it is the rest that is neither spent nor held
 * for running requests. A limit that resets is copied unchanged.
 */
async function leftOf(table: Table, { hash, limit, limitReset }: ApiKey): Promise<Money | undefined> {
  if (limit === undefined || limitReset !== undefined) return limit;
  const counter = await readCounter(table, { kind: 'key', id: hash });
  return Money.max(Money.zero, limit.minus(counter.committed(windowsAt(nowMs()).lifetime)));
}

function parseEnd(text: string): string {
  return text === 'none' ? text : parseFuture(text);
}

function parseCategories(text: string): SensitiveCategory[] {
  if (text === 'none') return [];
  const named = text.split(',').map((name) => name.trim()) as SensitiveCategory[];
  const unknown = named.find((name) => !sensitiveCategories.includes(name));
  if (unknown === undefined) return named;
  throw new InvalidArgumentError(`"${unknown}" is not a category. Use ${sensitiveCategories.join(', ')}.`);
}

const unitMs: Record<string, number> = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 };
const MAX_GRACE_MS = 365 * unitMs['d']!;

function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (ms <= MAX_GRACE_MS) return ms;
  throw new InvalidArgumentError('Use minutes, hours or days, at most one year in total: 30m, 24h, 7d.');
}
