import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBinary } from '../../../lib/shared/database/dynamodb-program.ts';
import { RULES_VARIABLE, rulesFrom } from './settings.ts';

/**
 * Enforces the rules of DynamoDB on emulators that this process or its children start, if the environment requires it.
 * Returns whether the rules are enforced.
 */
export function installTableRules(directory: string): boolean {
  if (!rulesFrom(process.env[RULES_VARIABLE])) return false;
  process.env['DYNAMODB_BINARY'] = binaryUnderRules(directory);
  return true;
}

/** Writes a program that replaces the emulator's binary, and returns its path. */
export function binaryUnderRules(directory: string): string {
  const launcher = fileURLToPath(new URL('launch-worker.ts', import.meta.url));
  mkdirSync(directory, { recursive: true });
  const script = join(directory, 'emulator-under-rules.sh');
  const words = [process.execPath, launcher, findBinary()!].map((word) => `'${word}'`).join(' ');
  writeFileSync(script, `#!/bin/sh\nexec ${words} "$@"\n`);
  chmodSync(script, 0o755);
  return script;
}
