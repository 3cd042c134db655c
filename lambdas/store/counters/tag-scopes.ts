/**
 * Scopes of tags. A tag with its value, such as `project=lake`, is a scope while it has a budget. The scope's counter
 * sums the spending of the account's requests with this value.
 */

import * as z from 'zod';
import { plain, text, type Field } from '../table/record.ts';
import { ownerKinds, type ScopeId, type ScopeKind, type TagKind } from './counters.ts';

/** A tag with its value, such as `project=lake`. The value is percent-encoded, because it may contain any character. */
export type TagText = `${string}=${string}`;

const PREFIX = 'tag:';

export function tagText(name: string, value: string): TagText {
  return `${name}=${encodeURIComponent(value)}`;
}

/** Returns the scope of an account's requests with a tag. */
export function tagScope(accountId: string, tag: TagText): ScopeId {
  const end = tag.indexOf('=');
  return { kind: `${PREFIX}${tag.slice(0, end)}`, id: `${accountId}/${tag.slice(end + 1)}` };
}

export function isTagKind(kind: ScopeKind): kind is TagKind {
  return kind.startsWith(PREFIX);
}

/** Returns the name and the value of a tag. */
export function tagParts(tag: TagText): { name: string; value: string } {
  const end = tag.indexOf('=');
  return { name: tag.slice(0, end), value: decodeURIComponent(tag.slice(end + 1)) };
}

/** Returns the name and the value of a tag from its scope. */
export function tagOfScope({ kind, id }: ScopeId): { name: string; value: string } {
  return tagParts(`${kind.slice(PREFIX.length)}=${id.slice(id.indexOf('/') + 1)}`);
}

const scopeKind = () => z.union([z.enum(ownerKinds), z.templateLiteral([PREFIX, z.string()])]);

/** Field with the kinds of the scopes in which an amount is held. A request has at most one scope of each kind. */
export const heldScopesField: Field<ScopeKind[]> = plain('held_scopes', () => z.array(scopeKind()));

export const tagField = text as (name: string) => Field<TagText>;

const tagSchema = () => z.templateLiteral([z.string(), '=', z.string()]);

/** Field with the tags of a request that have a budget, and so a scope with a counter. */
export const countedTagsField: Field<readonly TagText[]> = plain('counted_tags', () => z.array(tagSchema()));
