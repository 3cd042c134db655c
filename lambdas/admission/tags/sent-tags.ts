/**
 * Tags that a client sends: the header `x-gateway-tags`, and `metadata.tags` of the body.
 *
 * Both may be a text such as `project=lake,team=core`, with percent-encoded names and values. `metadata.tags` may also
 * be an object of texts, or a list of pairs (`["project=lake"]`), and may have a colon in place of the first `=`.
 */

import type { SentHeaders } from '../../messages/session-names.ts';
import { MAX_REQUEST_TAGS, tagNameRule, tagValueRule } from '../../platform/tag-rules.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { obeys } from '../../platform/text-rule.ts';

export const TAGS_HEADER = 'x-gateway-tags';
export const TAGS_FIELD = 'metadata.tags';

/** Maximum length of a text with tags. */
const MAX_TAGS_TEXT = 16_384;

const TAGS_EXAMPLE = 'project=lake,team=core';
const TAGS_TEXT_RULE = `must be pairs of a name and a value, such as "${TAGS_EXAMPLE}", with %2C for a comma and %25 for a percent sign`;

type StatedTags = ReadonlyMap<string, string>;

/**
 * Reads the header; empty elements of the list are ignored, as in other lists of HTTP.
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
 * Returns the header as a part of the request's fingerprint, so that requests with different headers have different
 * fingerprints. Returns no part without the header, so fingerprints of older releases stay valid.
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
  // Stops at the maximum, because the object may have any number of members.
  for (const name in tags) {
    pairs.push([name, (tags as Record<string, unknown>)[name]]);
    if (pairs.length > MAX_REQUEST_TAGS) throw tooManyTags(TAGS_FIELD);
  }
  return pairs;
}

function pairOf(part: string, field: string): TagPair {
  // OpenHands writes a colon (https://github.com/OpenHands/OpenHands/pull/12266).
  const at = part.search(field === TAGS_FIELD ? /[=:]/ : /=/);
  // A header with bytes above ASCII is refused, because their character set is not defined.
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

/**
 * Validates pairs and returns them as tags. Errors name a tag only if its name is valid, because the name may be any
 * text of the client.
 */
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
