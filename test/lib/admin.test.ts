import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminRefusal } from '../support/admin.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-admin-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the command line refuses, in the words of the API,', () => {
  const slugRule = 'It must be 1 to 50 lower-case letters and digits, with single dashes between them.';
  const nameRule = 'It must be a text of 1 to 100 characters on one line.';
  const descriptionRule = 'It must be a text of 0 to 500 characters on one line.';
  const workspace = ['workspaces', 'create', '--name', 'Team', '--slug', 'team'];

  it.each([
    ['a slug with other letters', [...workspace, '--slug', 'Ännchen'], slugRule],
    ['a slug that looks like the id of a workspace', [...workspace, '--slug', crypto.randomUUID()], slugRule],
    ['a name of two lines', [...workspace, '--name', 'Team\nRed'], nameRule],
    ['a name that moves the cursor', ['accounts', 'create', '--name', 'Acme\u001b[2A'], nameRule],
    ['a description that is too long', [...workspace, '--description', 'x'.repeat(501)], descriptionRule],
    ['a key without a name', ['keys', 'create', '--name', ' '], nameRule],
    ['a member id that is a route', ['members', 'add', '--member', 'add'], 'It must be 1 to 128 letters'],
  ])('%s', async (_, args, rule) => {
    expect(await adminRefusal(directory, ...args)).toContain(rule);
  });

  it('a key that has expired before it exists', async () => {
    const past = ['keys', 'create', '--name', 'k', '--expires', '2020-01-01T00:00:00Z'];
    expect(await adminRefusal(directory, ...past)).toContain('The time has to be in the future.');
  });
});
