/** Scopes of tags. A tag with its value, such as `project=lake`, is a scope while it has a budget. */

import * as z from 'zod';
import { plain, text, type Field } from '../table/record.ts';
import { ownerKinds, type ScopeId, type ScopeKind, type TagKind } from './counters.ts';

/** Name of a tag and its percent-encoded value. */
export type TagText = `${string}=${string}`;

const PREFIX = 'tag:';

export function tagText(name: string, value: string): TagText {
  return `${name}=${encodeURIComponent(value)}`;
}

export function tagScope(accountId: string, tag: TagText): ScopeId {
  const end = tag.indexOf('=');
  return { kind: `${PREFIX}${tag.slice(0, end)}`, id: `${accountId}/${tag.slice(end + 1)}` };
}

export function isTagKind(kind: ScopeKind): kind is TagKind {
  return kind.startsWith(PREFIX);
}

export function tagParts(tag: TagText): { name: string; value: string } {
  const end = tag.indexOf('=');
  return { name: tag.slice(0, end), value: decodeURIComponent(tag.slice(end + 1)) };
}

export function tagOfScope({ kind, id }: ScopeId): { name: string; value: string } {
  return tagParts(`${kind.slice(PREFIX.length)}=${id.slice(id.indexOf('/') + 1)}`);
}

const scopeKind = () => z.union([z.enum(ownerKinds), z.templateLiteral([PREFIX, z.string()])]);

/** Kinds of the scopes in which a hold is. A request has at most one scope of each kind. */
export const heldScopesField: Field<ScopeKind[]> = plain('held_scopes', () => z.array(scopeKind()));

export const tagField = text as (name: string) => Field<TagText>;

const tagSchema = () => z.templateLiteral([z.string(), '=', z.string()]);

export const countedTagsField: Field<readonly TagText[]> = plain('counted_tags', () => z.array(tagSchema()));
