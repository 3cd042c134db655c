/** Mistakes of the person who runs a command. Any other error counts as a bug, and is printed with its stack trace. */

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { CatalogError } from '../../../lambdas/catalog/catalog-error.ts';
import { AwsError, NoReplyError } from '../../../lambdas/platform/aws/aws-call.ts';
import { EnvironmentError } from '../../../lambdas/platform/environment.ts';
import { GatewayError } from '../../../lambdas/platform/errors.ts';
import { issueText } from '../../../lambdas/platform/zod-messages.ts';
import { SecretUnreadableError } from '../../../lambdas/platform/secrets/secrets.ts';
import { StartFailure } from '../../shared/failure.ts';

/** Errors whose message is a sentence for the operator. */
const ownSentences = [GatewayError, StartFailure, CatalogError, EnvironmentError, SecretUnreadableError] as const;

const NO_ACCESS: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'a file with that name exists',
};

const NO_AWS =
  'AWS is not configured in this shell. Set AWS_REGION, and credentials with access to the table (AWS_PROFILE, or "aws login").';

/**
 * Returns whether AWS answered a request with an error. The SDK's errors then have the status of the response in
 * `$metadata`.
 */
export function isAwsRefusal(error: unknown): boolean {
  return error instanceof AwsError || sdkMetadataOf(error)?.httpStatusCode !== undefined;
}

/** Returns whether AWS sent no usable response, for example because there is no connection. */
function isWithoutReply(error: Error): boolean {
  return error instanceof NoReplyError || (sdkMetadataOf(error) !== undefined && !isAwsRefusal(error));
}

/** Returns the metadata that the SDK adds to errors of requests, even if there is no connection. */
function sdkMetadataOf(error: unknown): { httpStatusCode?: number } | undefined {
  return error instanceof Error && '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }) : undefined;
}

/** Returns a mistake as a sentence; undefined if the error counts as a bug. */
export function mistakeIn(error: unknown): string | undefined {
  if (ownSentences.some((kind) => error instanceof kind)) return (error as Error).message;
  // For a host with several addresses, a failed connection is an AggregateError of the SDK.
  if (error instanceof AggregateError && !sdkMetadataOf(error)) return mistakesIn(error);
  if (!(error instanceof Error)) return undefined;
  if (isAwsRefusal(error)) return `AWS refused the request: ${error.message} (${error.name})`;
  if (/^Region (?:is missing|not accepted)/.test(error.message) || error.name === 'CredentialsProviderError') {
    return NO_AWS;
  }
  const { code = '', path } = error as NodeJS.ErrnoException;
  if (isWithoutReply(error)) {
    return `AWS did not respond: ${error.message || code} (${error.name}). Check the network and the region, then run the command again.`;
  }
  if (code === 'ENOSPC')
    return 'The disk is full, and the written files are incomplete. Free some space, then run the command again.';
  const reason = NO_ACCESS[code];
  return reason !== undefined && path !== undefined ? `${path} cannot be used: ${reason}.` : undefined;
}

/** Returns one line for each mistake; undefined if one of the errors counts as a bug. */
function mistakesIn({ errors }: AggregateError): string | undefined {
  const mistakes = errors.map(mistakeIn);
  return mistakes.includes(undefined) ? undefined : mistakes.join('\n');
}

/**
 * Reads and parses a file that is named on the command line.
 * @throws {StartFailure} if the content is invalid
 * @throws {Error} if the file cannot be read
 */
export function fromFile<Value>(path: string, read: (text: string) => Value): Value {
  return fromText(path, readFileSync(path, 'utf8'), read);
}

/**
 * Parses the text of a file.
 * @throws {StartFailure} if it is not JSON or `read` finds an invalid value; the message names the file
 */
export function fromText<Value>(path: string, text: string, read: (text: string) => Value): Value {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new StartFailure(`${path} is not JSON: ${error.message}.`);
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues as [z.core.$ZodIssue];
    throw new StartFailure(`${path} is invalid: ${[...issue.path, issueText(issue)].join(': ')}.`);
  }
}
