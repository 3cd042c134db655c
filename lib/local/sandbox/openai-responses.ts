import { randomBytes } from 'node:crypto';
import type { SandboxFraming, WireEvent, WireWriter } from './answer.ts';
import { encryptedReasoning } from './encrypted-reasoning.ts';
import type { Script } from './script.ts';
import { namedEvents } from './server-sent-events.ts';

export function responsesWriter(model: string): WireWriter {
  const id = `resp_${randomBytes(12).toString('hex')}`;
  const created = Math.floor(Date.now() / 1000);
  const response = (status: string, more: object = {}) => ({
    response: { id, object: 'response', created_at: created, model, status, error: null, output: [], ...more },
  });
  return {
    framing: numberedEvents(),
    opening(script) {
      const begun = { type: 'response.created', ...response('in_progress') };
      if (!hasHiddenReasoning(script)) return [begun];
      const item = { type: 'reasoning', id: newId('rs'), summary: [] };
      return [begun, added(0, item), done(0, { ...item, encrypted_content: encryptedReasoning(item.id) })];
    },
    block(script, index) {
      const block = script.blocks[index]!;
      const output_index = index + (hasHiddenReasoning(script) ? 1 : 0);
      const whole = block.pieces.join('');
      switch (block.kind) {
        case 'thinking': {
          const item = { type: 'reasoning', id: newId('rs') };
          const place = { item_id: item.id, output_index, summary_index: 0 };
          const summary = [{ type: 'summary_text', text: whole }];
          return {
            start: [added(output_index, { ...item, summary: [] })],
            pieces: block.pieces.map((delta) => [{ type: 'response.reasoning_summary_text.delta', ...place, delta }]),
            stop: [done(output_index, { ...item, summary, encrypted_content: encryptedReasoning(item.id) })],
          };
        }
        case 'text': {
          const item = { type: 'message', id: newId('msg'), role: 'assistant' };
          const place = { item_id: item.id, output_index, content_index: 0 };
          const kind = script.end === 'refusal' ? 'refusal' : 'output_text';
          const part =
            kind === 'refusal' ? { type: kind, refusal: whole } : { type: kind, text: whole, annotations: [] };
          return {
            start: [added(output_index, { ...item, status: 'in_progress', content: [] })],
            pieces: block.pieces.map((delta) => [{ type: `response.${kind}.delta`, ...place, delta }]),
            stop: [done(output_index, { ...item, status: 'completed', content: [part] })],
          };
        }
        case 'tool': {
          const item = { type: 'function_call', id: newId('fc'), call_id: newId('call'), name: block.name };
          const place = { item_id: item.id, output_index };
          return {
            start: [added(output_index, { ...item, status: 'in_progress', arguments: '' })],
            pieces: block.pieces.map((delta) => [{ type: 'response.function_call_arguments.delta', ...place, delta }]),
            stop: [done(output_index, { ...item, status: 'completed', arguments: whole || '{}' })],
          };
        }
      }
    },
    closing(script) {
      const usage = sandboxResponsesUsage(script);
      if (script.end !== 'length') return [{ type: 'response.completed', ...response('completed', { usage }) }];
      const more = { usage, incomplete_details: { reason: 'max_output_tokens' } };
      return [{ type: 'response.incomplete', ...response('incomplete', more) }];
    },
    error: () => ({ type: 'error', code: 'server_is_overloaded', message: 'Overloaded', param: null }),
  };
}

function added(output_index: number, item: object): WireEvent {
  return { type: 'response.output_item.added', output_index, item };
}

function done(output_index: number, item: object): WireEvent {
  return { type: 'response.output_item.done', output_index, item };
}

/** Numbers the events in the order in which they are sent. */
function numberedEvents(): SandboxFraming {
  const { encode, ...framing } = namedEvents();
  let sequence = 0;
  return { ...framing, encode: (event) => encode({ ...(event as object), sequence_number: sequence++ }) };
}

/** Returns whether an answer needs a reasoning item without text, which stands for billed but hidden reasoning. */
function hasHiddenReasoning({ hiddenReasoningTokens, blocks }: Script): boolean {
  return hiddenReasoningTokens > 0 && blocks[0]?.kind !== 'thinking';
}

function sandboxResponsesUsage(script: Script): object {
  const shown = script.blocks.find(({ kind }) => kind === 'thinking')?.pieces.length ?? 0;
  return {
    input_tokens: script.inputTokens,
    input_tokens_details: { cached_tokens: Math.min(script.directives.cachedTokens, script.inputTokens) },
    output_tokens: script.outputTokens,
    output_tokens_details: { reasoning_tokens: shown + script.hiddenReasoningTokens },
    total_tokens: script.inputTokens + script.outputTokens,
  };
}

function newId(kind: string): string {
  return `${kind}_${randomBytes(12).toString('hex')}`;
}
