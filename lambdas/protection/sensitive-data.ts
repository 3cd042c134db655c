/**
 * Removes sensitive data from a key's requests before anything is measured, held or sent. Found data is never sent, so
 * the provider's answers, errors and logs cannot repeat it.
 *
 * Guarantee: the search of a long prompt does not block the event loop. It runs in a separate thread, in which accounts
 * take turns.
 */

import type { MessagesRequest } from '../messages/types.ts';
import { clientHasLeft } from '../platform/errors.ts';
import { JobThread, type JobRequest } from '../platform/concurrency/job-thread.ts';
import { once } from '../platform/concurrency/once.ts';
import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { Placeholders } from './placeholders.ts';
import type { ProtectedTexts, ProtectionJob, RefusedText } from './protect-texts.ts';
import { nothingNamed, refusalAt, searchBusy, searchBroken, tooSlow } from './refusals.ts';
import { RequestTexts } from './request-texts.ts';

export interface Protection extends JobRequest {
  settings: SensitiveData;
  /** Called before the texts are searched; if it throws, nothing is searched. */
  beforeSearch?: (() => Promise<void>) | undefined;
}

export interface Protected<Request extends MessagesRequest = MessagesRequest> {
  message: Request;
  /** Values by placeholder; undefined if the answer is not restored. */
  originals: ReadonlyMap<string, string> | undefined;
  /**
   * Protects a text that is added during the answer, such as search results. Returns undefined if the key blocks a
   * finding in it.
   */
  protectMore: (text: string) => string | undefined;
}

/**
 * Returns the request as providers may get it.
 * @param options.mayGrow whether texts may be added during the answer; `originals` then also gets their values
 * @param options.origins index of each message in the client's request; undefined if the indexes are the same
 * @throws {GatewayError} 400 with the field, never the value, if the key blocks a found value or names nothing to
 *   protect, if a found value is in a field that cannot be changed, or if too many values are found; 529 if other
 *   searches kept the thread busy; 504 if the search takes too long or fails; 408 if the client has disconnected; the
 *   errors of `beforeSearch`
 */
export async function protect<Request extends MessagesRequest>(
  message: Request,
  protection: Protection,
  { mayGrow = false, origins }: { mayGrow?: boolean; origins?: readonly number[] | undefined } = {},
): Promise<Protected<Request>> {
  const { settings } = protection;
  const { enabled, action, restore } = settings;
  if (!enabled) return { message, originals: undefined, protectMore: (text) => text };
  const texts = new RequestTexts(message, origins);
  const found = await protectedTexts(texts, protection);
  const placeholders = new Placeholders(found.placeholders);
  const mayHaveAny = placeholders.count > 0 || (mayGrow && action === 'replace');
  const { protectorOf } = await searchCode();
  return {
    message: texts.with(found.changes),
    originals: restore && mayHaveAny ? placeholders.originals : undefined,
    protectMore: protectorOf(placeholders, settings),
  };
}

/**
 * Protects the texts of a request whose key has the settings enabled.
 * @throws {GatewayError} 400 if the key names nothing to protect, or a text must not be sent; 529 if other searches
 *   kept the thread busy; 504 if the search takes too long or fails; 408 if the client has disconnected; the errors of
 *   `beforeSearch`
 */
export async function protectedTexts(
  source: Pick<RequestTexts<MessagesRequest>, 'texts' | 'fieldOf'>,
  protection: Protection,
): Promise<ProtectedTexts> {
  const { settings, beforeSearch } = protection;
  if (settings.categories.length === 0 && settings.dictionary.length === 0) throw nothingNamed();
  await beforeSearch?.();
  const found = await searchedTexts({ texts: source.texts, settings }, protection);
  if ('refused' in found) throw refusalAt(source.fieldOf(found.refused.index), found.refused);
  return found;
}

/**
 * Maximum number of characters that are searched in the event loop. The slowest texts take some microseconds per
 * character.
 */
const MAX_CHARACTERS_AT_ONCE = 32 * 1024;
/** Time in ms after which a running search is interrupted if others wait. */
const TURN_MS = 500;
/** Maximum waiting time in ms. Waiting and one complete run stay below the timeout of an API function. */
const MAX_WAIT_MS = 6_000;
const MAX_RUN_MS = 20_000;
const MAX_SEARCH_HEAP_MB = 256;

/**
 * Loads the code of the search on demand, because it is a large part of a function's code, and most keys do not need
 * it.
 */
const searchCode = () => import('./protect-texts.ts');

async function searchedTexts(
  job: ProtectionJob,
  request: JobRequest,
): Promise<ProtectedTexts | { refused: RefusedText }> {
  const characters = job.texts.reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= MAX_CHARACTERS_AT_ONCE) return (await searchCode()).protectTexts(job);
  const outcome = await searchThread().run(job, request, { maxWaitMs: MAX_WAIT_MS, maxRunMs: MAX_RUN_MS });
  if ('result' in outcome) return outcome.result;
  switch (outcome.failure) {
    case 'client_left':
      throw clientHasLeft();
    case 'busy':
      throw searchBusy();
    case 'too_long':
      throw tooSlow(MAX_RUN_MS / 1_000);
    case 'broken':
      throw searchBroken();
  }
}

const searchThread = once(
  () =>
    new JobThread<ProtectionJob, ProtectedTexts | { refused: RefusedText }>({
      beside: import.meta.url,
      name: 'protection-worker',
      maxHeapMb: MAX_SEARCH_HEAP_MB,
      turnMs: TURN_MS,
    }),
);
