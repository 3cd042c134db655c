/**
 * Billing line that Claude Code writes before its system prompt for Anthropic's own accounts. It identifies the client
 * and, in some versions, holds a checksum that is new in each request. Amazon Bedrock refuses the line. In front of
 * other prompts, the changing checksum prevents every cache hit at a provider.
 */

import type { Block, MessagesRequest } from './types.ts';
import { without } from './without.ts';

const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** The request without the billing line; the same request if it has none. */
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
