import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { authenticate } from '../../lambdas/admission/authenticate.ts';
import { createAccount } from '../../lambdas/management/accounts.ts';
import { createKey } from '../../lambdas/management/keys.ts';
import * as secrets from '../../lambdas/platform/secrets/secrets.ts';
import type { Table } from '../../lambdas/store/table/table.ts';
import { newTable } from '../support/table.ts';

vi.mock(import('../../lambdas/platform/secrets/secrets.ts'), { spy: true });

let table: Table;
let keyBy: (pepper: string) => Promise<string>;
beforeAll(async () => {
  table = await newTable();
  const actor = { kind: 'operator', id: 'test' } as const;
  const { id: accountId } = await createAccount(table, actor, { name: 'Acme', mode: 'postpaid' });
  const changes = { table, accountId, actor, providerIds: async () => [] };
  keyBy = async (pepper) => (await createKey(changes, pepper, { kind: 'management', name: pepper })).secret;
});

/** Sets the cached pepper (`atHand`), and the peppers that the secret has when it is read again. */
function peppers(atHand: string, current: string, previous?: string) {
  vi.mocked(secrets.readPepper).mockResolvedValue(atHand);
  vi.mocked(secrets.readPeppers).mockResolvedValue({ current, previous });
}
beforeEach(() => void vi.clearAllMocks());

const nameOf = async (secret: string) => (await authenticate(table, secret)).key.name;

describe('an API key', () => {
  it('is authenticated by the cached pepper, without reading others', async () => {
    peppers('one', 'one');

    expect(await nameOf(await keyBy('one'))).toBe('one');
    expect(secrets.readPeppers).not.toHaveBeenCalled();
  });

  it('from before a change of the pepper still works', async () => {
    peppers('two', 'two', 'one');

    expect(await nameOf(await keyBy('one'))).toBe('one');
  });

  it('from after a change works also while the process still has the old pepper', async () => {
    peppers('one', 'two', 'one');

    expect(await nameOf(await keyBy('two'))).toBe('two');
  });

  it('from two changes of the pepper ago is unknown', async () => {
    peppers('three', 'three', 'two');

    await expect(nameOf(await keyBy('one'))).rejects.toMatchObject({ status: 401 });
  });
});
