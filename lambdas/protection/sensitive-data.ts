/**
 * Takes the sensitive data of a key's requests out before anything is measured, held or sent. The provider never sees it, so it
 * cannot be in the provider's answers, errors or logs either.
 *
 * Guarantee: a prompt of any length and any content, under any settings, blocks the event loop no longer than a short one: a long
 * prompt is searched in a thread, where accounts take turns and no prompt keeps a new one waiting for more than half a second.
 */

import type { MessagesRequest } from '../messages/types.ts';
import { clientHasLeft } from '../platform/errors.ts';
import { JobThread, type JobRequest } from '../platform/concurrency/job-thread.ts';
import { once } from '../platform/concurrency/once.ts';
import type { SensitiveData } from '../store/accounts/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import { Placeholders, withoutPlaceholders } from './placeholders.ts';
import { protectTexts, type ProtectedTexts, type ProtectionJob, type RefusedText } from './protect-texts.ts';
import { nothingNamed, refusalAt, searchBusy, searchBroken, tooSlow } from './refusals.ts';
import { Replacement } from './replacement.ts';
import { RequestTexts } from './request-texts.ts';

/** The settings of a key, and the request that they protect. */
export interface Protection extends JobRequest {
  settings: SensitiveData;
  /** Runs before a search. If it throws, nothing is searched. */
  beforeSearch?: (() => Promise<void>) | undefined;
}

export interface Protected<Request extends MessagesRequest = MessagesRequest> {
  message: Request;
  /** What stands behind the placeholders, for the answer; undefined where nothing is to be restored. */
  originals: ReadonlyMap<string, string> | undefined;
  /**
   * A text that joins the conversation while it is answered, as providers may see it; undefined where the key blocks what
   * is found in it.
   */
  protectMore: (text: string) => string | undefined;
}

/**
 * The request as providers may see it.
 * @param options.mayGrow more text may come: `originals` gets what is found in it, and is there from the beginning
 * @param options.origins the index of each message in the request of the client; undefined if they are the same
 * @throws {GatewayError} 400 naming category and field, never the value: if the key blocks such requests, if a value stands in a
 *   place that cannot be changed, or if there are too many of them; 529 if others kept the search busy; 504 if it takes too long
 */
export async function protect<Request extends MessagesRequest>(
  message: Request,
  protection: Protection,
  { mayGrow = false, origins }: { mayGrow?: boolean; origins?: readonly number[] | undefined } = {},
): Promise<Protected<Request>> {
  const { settings } = protection;
  const { enabled, action, dictionary, restore } = settings;
  if (!enabled) return { message, originals: undefined, protectMore: (text) => text };
  const texts = new RequestTexts(message, origins);
  const found = await protectedTexts(texts, protection);
  const placeholders = new Placeholders(found.placeholders);
  const mayHaveAny = placeholders.count > 0 || (mayGrow && action === 'replace');
  const replacement = once(() => new Replacement(placeholders, dictionary));
  return {
    message: texts.with(found.changes),
    originals: restore && mayHaveAny ? placeholders.originals : undefined,
    protectMore: (text) => protectedText(text, placeholders, replacement(), settings),
  };
}

/**
 * The texts of a request under the settings of a key that protects something.
 * @throws {GatewayError} 400 if the key names nothing to protect, or refuses a text; 529 if others kept the search busy; 504 if it takes
 *   too long
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

/** Characters that are searched without the thread: no text takes longer for its length than some four microseconds a character. */
const MAX_CHARACTERS_AT_ONCE = 32 * 1024;
/** After this time a search makes way for new ones. Few texts need longer that are not made to be slow. */
const TURN_MS = 500;
/** Together less than the time that a function of the API has. */
const MAX_WAIT_MS = 6_000;
const MAX_RUN_MS = 20_000;
/** The longest prompt needs some 150. */
const MAX_SEARCH_HEAP_MB = 256;

async function searchedTexts(
  job: ProtectionJob,
  request: JobRequest,
): Promise<ProtectedTexts | { refused: RefusedText }> {
  const characters = job.texts.reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= MAX_CHARACTERS_AT_ONCE) return protectTexts(job);
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
    new JobThread<ProtectionJob, ReturnType<typeof protectTexts>>({
      beside: import.meta.url,
      name: 'protection-worker',
      maxHeapMb: MAX_SEARCH_HEAP_MB,
      turnMs: TURN_MS,
    }),
);

/** Nothing in a text of others becomes a value of the client: what looks like a placeholder there is made to look different. */
function protectedText(
  written: string,
  placeholders: Placeholders,
  replacement: Replacement,
  { action, categories }: SensitiveData,
): string | undefined {
  const text = withoutPlaceholders(written);
  const findings = findSensitive(text, new Set(categories));
  if (findings.length > 0 && action === 'block') return undefined;
  for (const { category, start, end } of findings) placeholders.add(category, text.slice(start, end));
  return replacement.in(text, findings);
}
