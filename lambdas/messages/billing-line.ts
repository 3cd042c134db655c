/**
 * Line that Claude Code writes at the start of its system prompt for Anthropic. Some versions contain a checksum that
 * changes with each request, which prevents cache hits at other providers. Amazon Bedrock rejects the line.
 */

import type { Block, MessagesRequest } from './types.ts';
import { without } from './without.ts';

const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** Removes the billing line. Returns the same request if it has no such line. */
export function withoutBillingLine(request: MessagesRequest): MessagesRequest {
  const { system } = request;
  if (system === undefined) return request;
  if (typeof system === 'string') {
    return BILLING_LINE.test(system) ? withSystem(request, system.replace(BILLING_LINE, '')) : request;
  }
  const [first] = system;
  const text = first?.type === 'text' ? first['text'] : undefined;
  if (typeof text !== 'string' || !BILLING_LINE.test(text)) return request;
  const left = text.replace(BILLING_LINE, '');
  return withSystem(request, [...(left === '' ? [] : [{ ...first!, text: left }]), ...system.slice(1)]);
}

function withSystem(request: MessagesRequest, left: string | Block[]): MessagesRequest {
  return left.length === 0 ? without(request, 'system') : { ...request, system: left };
}
