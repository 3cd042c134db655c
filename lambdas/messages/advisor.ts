/**
 * Advisor of Anthropic: a tool with which a model asks another model, at a cost that the request does not bound. Claude
 * Code declares it in every request if the user has set an advisor
 * (https://github.com/Alishahryar1/free-claude-code/pull/1838).
 */

import type { Block, Tool } from './types.ts';

export function isAdvisor({ type }: Pick<Tool, 'type'>): boolean {
  return /^advisor_\d/.test(type ?? '');
}

/** Whether a block is a call of the advisor, or its result. */
export function isOfAdvisor({ type, name }: Block): boolean {
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor');
}
