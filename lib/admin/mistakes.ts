/** What the person who typed a command can mend, in a sentence; for all else there is a stack, and a fault of ours. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CatalogError } from '../../lambdas/catalog/catalog-error.ts';
import { AwsError } from '../../lambdas/platform/aws-call.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { issueText } from '../../lambdas/platform/issues.ts';
import { StartFailure } from '../local/failure.ts';

const NO_ACCESS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is no directory',
  EEXIST: 'a file has that name',
};

const NO_AWS =
  'AWS is not set up in this shell: set AWS_REGION, and credentials that may use the table (AWS_PROFILE, or "aws login").';

/** @returns undefined where the error is none of the person's */
export function mistakeIn(error: unknown): string | undefined {
  if (error instanceof GatewayError || error instanceof StartFailure || error instanceof CatalogError) {
    return error.message;
  }
  if (!(error instanceof Error)) return undefined;
  // Clients of the SDK say so of whatever a service has answered.
  if (error instanceof AwsError || '$metadata' in error) return `AWS refuses this: ${error.message} (${error.name})`;
  if (/^Region (?:is missing|not accepted)/.test(error.message) || error.name === 'CredentialsProviderError') {
    return NO_AWS;
  }
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'The disk is full: what was written of the files is not whole.';
  const reason = NO_ACCESS[code];
  return reason !== undefined && path !== undefined ? `${path} cannot be used: ${reason}.` : undefined;
}

/**
 * Reads a file that a person has named, and makes something of it.
 * @throws {StartFailure} naming the file, and what in it is wrong
 */
export function fromFile<Value>(path: string, read: (text: string) => Value): Value {
  const text = readFileSync(path, 'utf8');
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new StartFailure(`${path} is not JSON: ${error.message}.`);
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues as [z.core.$ZodIssue];
    throw new StartFailure(`${path} is not what it should be: ${[...issue.path, issueText(issue)].join(': ')}.`);
  }
}
