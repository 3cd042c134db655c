/**
 * Reads the tags that a client states for a request: in the header `x-gateway-tags`, and in `metadata.tags` of the
 * body.
 *
 * Both may be a text such as `project=lake,team=core` (OpenAI's clients allow only texts within `metadata`). Names and
 * values in a text are percent-decoded, so a value may contain commas and letters of any script. `metadata.tags` may
 * also be an object of texts, or a list of pairs (`["project=lake"]`).
 */

import type { SentHeaders } from '../../messages/session-names.ts';
import { MAX_REQUEST_TAGS, tagNameRule, tagValueRule } from '../../platform/tag-rules.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { obeys } from '../../platform/text-rule.ts';

/** Header with the tags of a request. */
export const TAGS_HEADER = 'x-gateway-tags';
/** Field of the body with the tags of a request. */
export const TAGS_FIELD = 'metadata.tags';

/** Maximum length of a text with tags: enough for eight tags whose characters are all percent-encoded. */
const MAX_TAGS_TEXT = 16_384;

const TAGS_EXAMPLE = 'project=lake,team=core';
const TAGS_TEXT_RULE = `must be pairs of a name and a value, such as "${TAGS_EXAMPLE}", with %2C for a comma and %25 for a percent sign`;

type StatedTags = ReadonlyMap<string, string>;

/**
 * Reads the header. Empty elements of the list are ignored, as in other lists of HTTP.
 * @throws {GatewayError} 400 that names the header
 */
export function tagsOfHeader(text: string | undefined): StatedTags {
  return text === undefined ? new Map() : tagsOfPairs(pairsOfText(text, TAGS_HEADER), TAGS_HEADER);
}

/**
 * Reads the value of `metadata.tags`.
 * @throws {GatewayError} 400 that names the field, or the tag within it
 */
export function tagsOfField(value: unknown): StatedTags {
  if (value === undefined || value === null) return new Map();
  if (typeof value === 'string') return tagsOfPairs(pairsOfText(value, TAGS_FIELD), TAGS_FIELD);
  if (Array.isArray(value)) return tagsOfPairs(pairsOfList(value), TAGS_FIELD);
  if (typeof value === 'object') return tagsOfPairs(pairsOfObject(value), TAGS_FIELD);
  throw invalidRequest(TAGS_FIELD, `must be an object of texts, or a text such as "${TAGS_EXAMPLE}"`);
}

/**
 * Returns the part of a request's fingerprint that contains the header, because a request with other tags is another
 * request. It is empty without the header, so the fingerprints of older releases stay valid.
 */
export function tagsInFingerprint(headers: SentHeaders): string[] {
  const text = headers[TAGS_HEADER];
  return text === undefined ? [] : [text];
}

type TagPair = readonly [name: string, value: unknown];

function pairsOfText(text: string, field: string): TagPair[] {
  if (text.length > MAX_TAGS_TEXT) throw tooManyTags(field);
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => pairOf(part, field));
}

function pairsOfList(list: readonly unknown[]): TagPair[] {
  if (list.length > MAX_REQUEST_TAGS) throw tooManyTags(TAGS_FIELD);
  return list.flatMap((part) => {
    if (typeof part !== 'string') {
      throw invalidRequest(TAGS_FIELD, 'must have texts such as "project=lake" as its elements');
    }
    return pairsOfText(part, TAGS_FIELD);
  });
}

function pairsOfObject(tags: object): TagPair[] {
  const pairs: TagPair[] = [];
  // Reads at most one more pair than is allowed, because the object may have any number of members.
  for (const name in tags) {
    pairs.push([name, (tags as Record<string, unknown>)[name]]);
    if (pairs.length > MAX_REQUEST_TAGS) throw tooManyTags(TAGS_FIELD);
  }
  return pairs;
}

function pairOf(part: string, field: string): TagPair {
  const at = part.indexOf('=');
  // Rejects bytes above ASCII in the header, because their character set is not defined.
  if (at === -1 || (field === TAGS_HEADER && !/^[\t\x20-\x7e]*$/.test(part)))
    throw invalidRequest(field, TAGS_TEXT_RULE);
  return [decodedPart(part.slice(0, at), field), decodedPart(part.slice(at + 1), field)];
}

function decodedPart(text: string, field: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    throw invalidRequest(field, TAGS_TEXT_RULE);
  }
}

/** Checks the pairs. Errors name a tag only if its name is valid, because the name may be any text of the client. */
function tagsOfPairs(pairs: readonly TagPair[], field: string): StatedTags {
  const tags = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!obeys(tagNameRule, name)) throw invalidRequest(field, `has a name that is not valid: it ${tagNameRule.says}`);
    const text = typeof value === 'string' ? value.trim() : '';
    if (!obeys(tagValueRule, text)) throw invalidRequest(tagFieldOf(name, field), tagValueRule.says);
    if (tags.has(name)) throw invalidRequest(field, `has the tag "${name}" twice; send one value`);
    tags.set(name, text);
    if (tags.size > MAX_REQUEST_TAGS) throw tooManyTags(field);
  }
  return tags;
}

function tagFieldOf(name: string, field: string): string {
  return field === TAGS_FIELD ? `${field}.${name}` : field;
}

export function tooManyTags(field: string) {
  return invalidRequest(field, `may have at most ${MAX_REQUEST_TAGS} tags`);
}
