/**
 * Advisor of Anthropic: a tool with which a model asks another model, at a cost that the request does not bound. Claude
 * Code declares it in every request if the user has set an advisor
 * (https://github.com/Alishahryar1/free-claude-code/pull/1838).
 */

import type { Block, Tool } from './types.ts';

/** Whether a tool is the advisor, or a block is its result. */
export function isAdvisor({ type }: Pick<Tool, 'type'>): boolean {
  return type?.startsWith('advisor_') === true;
}

/** Whether a block is a call of the advisor, or its result. */
export function isOfAdvisor(block: Block): boolean {
  return isAdvisor(block) || (block.type === 'server_tool_use' && block['name'] === 'advisor');
}
