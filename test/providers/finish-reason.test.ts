import { describe, expect, it } from 'vitest';
import { chatStopReason } from '../../lambdas/providers/openai-chat/finish-reason.ts';

const plain = { hasRefused: false, hasMatchedStopSequence: false, hasToolCalls: false };

describe('the stop reason of a chat completion', () => {
  it.each([
    ['stop', {}, 'end_turn'],
    [undefined, {}, 'end_turn'],
    ['something new', {}, 'end_turn'],
    ['stop', { hasToolCalls: true }, 'tool_use'],
    ['tool_calls', {}, 'end_turn'],
    ['length', { hasToolCalls: true }, 'max_tokens'],
    ['MAX_TOKENS', {}, 'max_tokens'],
    ['model_length', {}, 'model_context_window_exceeded'],
    ['content_filter', {}, 'refusal'],
    ['SAFETY', {}, 'refusal'],
    ['stop', { hasRefused: true }, 'refusal'],
    ['stop', { hasMatchedStopSequence: true, hasToolCalls: true }, 'stop_sequence'],
    ['insufficient_system_resource', {}, 'failed'],
    ['MALFORMED_FUNCTION_CALL', { hasToolCalls: true }, 'failed'],
    ['UNEXPECTED_TOOL_CALL', {}, 'failed'],
    ['TIMEOUT', {}, 'failed'],
    ['server_error', {}, 'failed'],
    ['network-error', {}, 'failed'],
    ['error_finish', {}, 'failed'],
    ['upstream_error', { hasToolCalls: true }, 'failed'],
    ['content-filter', {}, 'refusal'],
    ['ERROR_TOXIC', {}, 'refusal'],
    ['refusal', {}, 'refusal'],
    ['guardrail_intervened', {}, 'refusal'],
    ['ERROR_LIMIT', {}, 'model_context_window_exceeded'],
    ['max_output_tokens', {}, 'max_tokens'],
  ])('for %s, %j is %s', (reason, answer, stopReason) => {
    expect(chatStopReason(reason, { ...plain, ...answer })).toBe(stopReason);
  });
});
