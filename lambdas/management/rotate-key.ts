import { hashSecret, maskSecret, newKeySecret } from '../admission/credentials.ts';
import { nowMs } from '../platform/clock.ts';
import { conflict } from '../platform/errors.ts';
import {
  currentSecretHash,
  keyReplacement,
  secretPut,
  secretRemoval,
  type ApiKey,
  type KeyKind,
  type OldSecret,
} from '../store/accounts/keys.ts';
import type { Table } from '../store/table/table.ts';
import type { Writes } from '../store/table/transact.ts';
import {
  checkVersion,
  commitChange,
  noExtraWrite,
  retryOnConflict,
  type ChangeContext,
  type ExtraWrite,
} from './change.ts';
import { findKey, keyForAudit } from './keys.ts';

/** Maximum time in seconds for which a replaced secret may still work. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;
/** Maximum number of replaced secrets of a key that still work. */
const MAX_OLD_SECRETS = 10;

export interface RotatedKey {
  key: ApiKey;
  secret: string;
  /** ISO time; undefined if the replaced secret no longer works. */
  oldWorksUntil: string | undefined;
}

/**
 * Replaces the secret of a key. The key keeps its hash, and therefore its limits, spending, holds and history. Only
 * this result, which `alongside` also gets, contains the secret.
 * @param overlapSeconds time in seconds for which the replaced secret still works; earlier secrets stop by then, too
 * @throws {GatewayError} 404 if the key does not exist; 409 if too many secrets would work, or if other changes keep
 *   interfering; 412 for another version; `AlreadyAnsweredError` as `commitChange` does
 */
export async function rotateKey(
  context: ChangeContext,
  pepper: string,
  selection: { hash: string; kind?: KeyKind; expectedVersion?: number | undefined },
  overlapSeconds: number,
  alongside: ExtraWrite<RotatedKey> = noExtraWrite,
): Promise<RotatedKey> {
  const { table, accountId } = context;
  return retryOnConflict(async () => {
    const before = await findKey(table, accountId, selection.hash, selection.kind);
    checkVersion(selection.expectedVersion, before.version);
    const rotated = withNewSecret(before, pepper, overlapSeconds);
    const { key: after, oldWorksUntil } = rotated;
    const outcome = await commitChange(
      context,
      {
        action: 'key.rotate',
        target: `key ${after.hash}`,
        before: keyForAudit(before),
        after: { ...keyForAudit(after), old_works_until: oldWorksUntil ?? null },
      },
      {
        key: keyReplacement(table, before, after),
        secret: secretPut(table, after, currentSecretHash(after)),
        ...removals(table, before, after),
      },
      alongside(rotated),
    );
    return outcome.committed ? rotated : undefined;
  });
}

function withNewSecret(before: ApiKey, pepper: string, overlapSeconds: number): RotatedKey {
  const atMs = nowMs();
  const secret = newKeySecret(before.kind);
  const until = new Date(atMs + overlapSeconds * 1_000).toISOString();
  const earlier = (before.oldSecrets ?? []).map((old) => ({ ...old, until: old.until < until ? old.until : until }));
  const all: OldSecret[] = [...earlier, { hash: currentSecretHash(before), until }];
  const working = all.filter((old) => Date.parse(old.until) > atMs);
  if (working.length > MAX_OLD_SECRETS) {
    throw conflict(
      `${MAX_OLD_SECRETS} replaced secrets of this key still work. Rotate it with a shorter expires_old_in_seconds, which also applies to them.`,
      { field: 'expires_old_in_seconds' },
    );
  }
  const key: ApiKey = {
    ...before,
    label: maskSecret(secret),
    secretHash: hashSecret(pepper, secret),
    oldSecrets: working.length > 0 ? working : undefined,
    version: before.version + 1,
    updatedAt: new Date(atMs).toISOString(),
  };
  return { key, secret, oldWorksUntil: overlapSeconds === 0 ? undefined : earliest(until, before.expiresAt) };
}

function earliest(until: string, expiresAt: string | undefined): string {
  return expiresAt !== undefined && expiresAt < until ? expiresAt : until;
}

/** Deletes the items of secrets that no longer work. The first secret has no item of its own: its item is the key. */
function removals(table: Table, before: ApiKey, after: ApiKey): Writes {
  const secrets = [...(before.oldSecrets ?? []).map(({ hash }) => hash), currentSecretHash(before)];
  const ended = secrets.filter((hash) => hash !== before.hash && !after.oldSecrets?.some((old) => old.hash === hash));
  return Object.fromEntries(ended.map((hash) => [`secret ${hash}`, secretRemoval(table, hash)]));
}
