import { InvalidArgumentError, Option, type Command } from 'commander';
import { updateKey, type KeyChange } from '../../../lambdas/management/keys.ts';
import { MAX_OVERLAP_SECONDS, rotateKey } from '../../../lambdas/management/rotate-key.ts';
import { nameRule } from '../../../lambdas/management/rules.ts';
import { invalidRequest } from '../../../lambdas/platform/errors.ts';
import { readCounter } from '../../../lambdas/store/counters/counters.ts';
import type { ApiKey, KeyTags } from '../../../lambdas/store/accounts/keys.ts';
import {
  sensitiveActions,
  sensitiveCategories,
  type SensitiveCategory,
} from '../../../lambdas/store/accounts/sensitive-data.ts';
import { parseBoolean, parseFuture, textBy } from '../command-line/arguments.ts';
import { changedTags, parseTag } from './key-tags.ts';
import { namedKey, naming, type KeyOption } from './named-key.ts';
import { operatorPepper } from '../session/operator-pepper.ts';
import type { Row } from '../../shared/output.ts';
import { keyRow } from './rows.ts';
import { useLimitChange, withUseLimits, type UseLimitOptions } from './use-limit-options.ts';
import { onAccount, type Session } from '../session/session.ts';

/** Adds the commands that change settings of keys. */
export function addKeySettingsCommands(keys: Command): void {
  withUseLimits(naming(keys.command('set')), 'the key')
    .description(
      'change the name, expiry, tags, use limits or privacy settings of a key; other settings stay unchanged',
    )
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
    .description('replace the secret of a key; the new secret is printed only now')
    .option(
      '--grace <duration>',
      'how long the old secret keeps working, e.g. 30m, 24h or 7d (default: not at all)',
      parseDuration,
    )
    .action(onAccount(rotate));
}

interface KeySettingsOptions extends KeyOption, UseLimitOptions {
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
    ...useLimitChange(given),
  };
}

function protectionRow({ sensitiveData: { enabled, categories, action, restore } }: ApiKey): Row {
  return { protects: enabled ? categories.join(', ') : 'nothing', action: enabled ? action : null, restore };
}

/** Replaces the secret of a key. The old secret stops working within seconds, or at the end of the grace period. */
async function rotate(session: Session, { key: named, grace = 0 }: KeyOption & { grace?: number }): Promise<Row> {
  const { hash } = await namedKey(session, named);
  const pepper = await operatorPepper(session);
  const { key, secret, oldWorksUntil } = await rotateKey(session.changes, pepper, { hash }, grace / 1_000);
  const counter = await readCounter(session.table, { kind: 'key', id: hash });
  return { key: secret, ...keyRow(key, counter), old_works_until: oldWorksUntil ?? 'now' };
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
const MAX_GRACE_MS = MAX_OVERLAP_SECONDS * 1_000;

function parseDuration(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit ?? ''] ?? Number.NaN);
  if (ms <= MAX_GRACE_MS) return ms;
  throw new InvalidArgumentError('Use minutes, hours or days, at most thirty days in total: 30m, 24h, 7d.');
}
