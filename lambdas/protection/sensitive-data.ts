/**
 * What a key wants kept from providers is taken out of its requests before anything is measured, held or sent. The provider
 * never sees it, so it cannot be in the provider's answers, errors or logs either.
 *
 * Guarantee: a prompt of any length and any content, under any settings, keeps the event loop for the time that a short one
 * takes: a long one is searched in a thread of its own.
 */

import type { MessagesRequest } from '../messages/types.ts';
import { JobThread } from '../platform/job-thread.ts';
import { once } from '../platform/once.ts';
import type { SensitiveData } from '../store/sensitive-data.ts';
import { findSensitive } from './find/find.ts';
import { Placeholders, withoutPlaceholders } from './placeholders.ts';
import { protectTexts, type ProtectedTexts, type ProtectionJob, type RefusedText } from './protect-texts.ts';
import { nothingNamed, refusalAt, tooSlow } from './refusals.ts';
import { Replacement } from './replacement.ts';
import { mapTexts } from './request-texts.ts';
import type { RequestText } from './scan.ts';

export interface Protected {
  message: MessagesRequest;
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
 * @throws {GatewayError} 400 naming category and field, never the value: where the key blocks such requests, and where a
 *   value stands in a place that cannot be changed, or there are too many of them; 504 where the search takes too long
 */
export async function protect(
  message: MessagesRequest,
  settings: SensitiveData,
  { mayGrow = false } = {},
): Promise<Protected> {
  const { enabled, action, categories, dictionary, restore } = settings;
  if (!enabled) return { message, originals: undefined, protectMore: (text) => text };
  if (categories.length === 0 && dictionary.length === 0) throw nothingNamed();
  const found = await protectedTexts({ texts: textsToSearch(message), settings });
  if ('refused' in found) throw refusalAt(searchedField(message, found.refused.index), found.refused);
  const placeholders = new Placeholders(found.placeholders);
  const mayHaveAny = placeholders.count > 0 || (mayGrow && action === 'replace');
  const replacement = once(() => new Replacement(placeholders, dictionary));
  return {
    message: withChanges(message, found.changes),
    originals: restore && mayHaveAny ? placeholders.originals : undefined,
    protectMore: (text) => protectedText(text, placeholders, replacement(), settings),
  };
}

/** A prompt that stands alone, as providers may see it. @throws {GatewayError} as `protect` does */
export async function protectPrompt(prompt: string, settings: SensitiveData): Promise<string> {
  const { message } = await protect({ model: '', messages: [], prompt }, settings);
  return message['prompt'] as string;
}

/** Characters that are searched at once: no text takes longer for its length than some four microseconds a character. */
const MAX_CHARACTERS_AT_ONCE = 32 * 1024;
/** A longer prompt may take so long, with the wait for others. The longest one takes a few seconds, unless it was made to be slow. */
const PATIENCE_SECONDS = 20;
/** The longest prompt needs some 150. */
const MAX_SEARCH_HEAP_MB = 256;

async function protectedTexts(job: ProtectionJob): Promise<ProtectedTexts | { refused: RefusedText }> {
  const characters = job.texts.reduce((sum, { text }) => sum + text.length, 0);
  if (characters <= MAX_CHARACTERS_AT_ONCE) return protectTexts(job);
  const found = await searchThread().run(job, performance.now() + PATIENCE_SECONDS * 1_000);
  if (!found) throw tooSlow(PATIENCE_SECONDS);
  return found;
}

const searchThread = once(
  () =>
    new JobThread<ProtectionJob, ReturnType<typeof protectTexts>>({
      beside: import.meta.url,
      name: 'protection-worker',
      maxHeapMb: MAX_SEARCH_HEAP_MB,
    }),
);

/** The texts in the order in which `mapTexts` visits them. */
function textsToSearch(message: MessagesRequest): RequestText[] {
  const texts: RequestText[] = [];
  mapTexts(message, (text, { kind, name }) => {
    texts.push({ text, kind, name });
    return text;
  });
  return texts;
}

function searchedField(message: MessagesRequest, wanted: number): string {
  let index = 0;
  let found = '';
  mapTexts(message, (text, { field }) => {
    if (index === wanted) found = field();
    index += 1;
    return text;
  });
  return found;
}

function withChanges(message: MessagesRequest, changes: ProtectedTexts['changes']): MessagesRequest {
  if (changes.size === 0) return message;
  let index = -1;
  return mapTexts(message, (text) => {
    index += 1;
    return changes.has(index) ? changes.get(index) : text;
  });
}

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
