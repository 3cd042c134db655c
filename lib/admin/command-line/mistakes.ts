/** Mistakes of the person who runs a command, as sentences. Any other error is a fault of the product, and shows its stack. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CatalogError } from '../../../lambdas/catalog/catalog-error.ts';
import { AwsError } from '../../../lambdas/platform/aws/aws-call.ts';
import { EnvironmentError } from '../../../lambdas/platform/environment.ts';
import { GatewayError } from '../../../lambdas/platform/errors.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { SecretUnreadableError } from '../../../lambdas/platform/secrets/secrets.ts';
import { StartFailure } from '../../shared/failure.ts';

/** Errors whose messages are sentences for the operator. */
const ownSentences = [GatewayError, StartFailure, CatalogError, EnvironmentError, SecretUnreadableError] as const;

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

/** Clients of the SDK mark every answer of a service; so do the product's own calls, with their class. */
export function isAwsRefusal(error: unknown): boolean {
  return error instanceof AwsError || (error instanceof Error && '$metadata' in error);
}

/** @returns undefined if the error is a fault of the product */
export function mistakeIn(error: unknown): string | undefined {
  if (ownSentences.some((kind) => error instanceof kind)) return (error as Error).message;
  if (!(error instanceof Error)) return undefined;
  if (isAwsRefusal(error)) return `AWS refuses this: ${error.message} (${error.name})`;
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
  return fromText(path, readFileSync(path, 'utf8'), read);
}

/** Reads a text of that file. @throws {StartFailure} naming the file, and the fault in it */
export function fromText<Value>(path: string, text: string, read: (text: string) => Value): Value {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new StartFailure(`${path} is not JSON: ${error.message}.`);
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues as [z.core.$ZodIssue];
    throw new StartFailure(`${path} is not what it should be: ${[...issue.path, issueText(issue)].join(': ')}.`);
  }
}
