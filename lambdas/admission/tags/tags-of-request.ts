import type { SentHeaders } from '../../messages/session-names.ts';
import { containsKey } from '../../platform/keys-in-texts.ts';
import { MAX_REQUEST_TAGS } from '../../platform/tag-rules.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import type { RequestTags } from '../../store/generations/request-tags.ts';
import type { Caller } from '../caller.ts';
import { hashedTag, mappedTags } from './mapped-tags.ts';
import { checkRequiredTags } from './required-tags.ts';
import { TAGS_FIELD, TAGS_HEADER, tagsOfField, tagsOfHeader, tooManyTags } from './sent-tags.ts';

/**
 * Removes `metadata.tags` (and an empty `metadata`) from a body, so that no provider gets it.
 * @param body parsed body; it is changed
 * @returns the value of `metadata.tags`
 */
export function takeTagsField(body: unknown): unknown {
  if (!isRecord(body) || !isRecord(body['metadata'])) return undefined;
  const { metadata } = body;
  if (!Object.hasOwn(metadata, 'tags')) return undefined;
  const { tags } = metadata;
  delete metadata['tags'];
  if (Object.keys(metadata).length === 0) delete body['metadata'];
  return tags;
}

/**
 * Returns all tags of a request; later sources win: key, mapped tags, `metadata.tags`, header.
 * @param sent the body without `metadata.tags`, before its validation, and the value of `metadata.tags`
 * @throws {GatewayError} 400 for tags that break a rule, 403 without the tags that the key requires
 */
export function tagsOfRequest(
  caller: Caller,
  headers: SentHeaders,
  { body, field }: { body: unknown; field: unknown },
): RequestTags {
  const { tags: ofKey = {}, sensitiveData } = caller.key;
  const fromHeader = tagsOfHeader(headers[TAGS_HEADER]);
  const stated = new Map([...tagsOfField(field), ...fromHeader]);
  if (stated.size > MAX_REQUEST_TAGS) throw tooManyTags(fromHeader.size > 0 ? TAGS_HEADER : TAGS_FIELD);
  const mapped = mappedTags(isRecord(body) ? body : {}, headers, sensitiveData.enabled);
  const named = [...Object.entries(ofKey), ...mapped, ...stated];
  // Records and reports must not contain a key of this gateway that a client sends as its user or session.
  const tags = Object.fromEntries(named.map(([name, text]) => [name, containsKey(text) ? hashedTag(text) : text]));
  checkRequiredTags(caller, tags);
  return tags;
}
