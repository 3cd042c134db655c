/**
 * Over two wires, recordings can be sent to endpoints that support audio. Other requests with recordings are refused
 * with the name of the field.
 */

import { describe, expect, it } from 'vitest';
import type { InputModality, MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { refused } from '../support/refused.ts';

const recording = (media_type: string): Block => ({
  type: 'audio',
  source: { type: 'base64', media_type, data: 'UklGRg==' },
});
const wav = recording('audio/wav');
const text: Block = { type: 'text', text: 'What is said?' };

function sentOver(wire: MessagesWireName, content: Block[], inputModalities?: InputModality[], quirks: object = {}) {
  const target = {
    providerId: 'acme',
    upstreamModel: 'm',
    maxOutputTokens: 100,
    supportedParameters: ['tools'],
    inputModalities,
    quirks: quirks as Quirks,
  };
  const request = { model: 'a/b', messages: [{ role: 'user' as const, content }], max_tokens: 5 };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  return JSON.parse(messagesWire(wire)!.encode(request, target, client).body) as Record<string, unknown>;
}

const takesAudio = { audio_files: true };

describe('a recording in a message', () => {
  it.each([
    ['audio/wav', 'audio/wav'],
    ['audio/mpeg', 'audio/mp3'],
    // https://github.com/pydantic/pydantic-ai/issues/2143
    ['audio/aac', 'audio/aac'],
    ['audio/aiff', 'audio/aiff'],
    ['audio/flac', 'audio/flac'],
    ['audio/ogg', 'audio/ogg'],
  ])('is inline data to Gemini: %s', (mediaType, mimeType) => {
    expect(sentOver('google-gemini', [recording(mediaType), text], ['text', 'audio'])).toMatchObject({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data: 'UklGRg==' } }, { text: 'What is said?' }] }],
    });
  });

  it.each([
    ['audio/wav', 'wav'],
    ['audio/mpeg', 'mp3'],
  ])('is an input_audio over chat completions: %s', (mediaType, format) => {
    const { messages } = sentOver('openai-chat', [recording(mediaType), text], ['text', 'audio'], takesAudio);

    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format } },
          { type: 'text', text: 'What is said?' },
        ],
      },
    ]);
  });

  it('is refused by name over chat completions if it is neither WAV nor MP3', () => {
    const refusal = refused(() => sentOver('openai-chat', [recording('audio/ogg')], ['text', 'audio'], takesAudio));

    expect(refusal.metadata).toEqual({ field: 'messages.0.content.0.source.media_type' });
  });

  it.each<[MessagesWireName, InputModality[], object]>([
    ['google-gemini', ['text', 'image', 'file'], {}],
    ['openai-chat', ['text', 'image'], takesAudio],
    ['openai-chat', ['text', 'audio'], {}],
    ['openai-responses', ['text'], {}],
    ['bedrock-converse', ['text'], { family: 'nova' }],
    ['anthropic', ['text'], {}],
  ])('is refused by name if the endpoint does not support audio: %s with %j and %j', (wire, modalities, quirks) => {
    const refusal = refused(() => sentOver(wire, [text, wav], modalities, quirks));

    expect(refusal.status).toBe(400);
    expect(refusal.metadata).toEqual({ field: 'messages.0.content.1.type' });
  });

  it.each<MessagesWireName>(['google-gemini', 'openai-chat', 'anthropic'])(
    'is refused by name in the result of a tool: %s',
    (wire) => {
      const call = { type: 'tool_use', id: 't', name: 'listen', input: {} };
      const result = { type: 'tool_result', tool_use_id: 't', content: [wav] };
      const request = {
        model: 'a/b',
        messages: [
          { role: 'assistant' as const, content: [call] },
          { role: 'user' as const, content: [result] },
        ],
      };
      const target = {
        providerId: 'acme',
        upstreamModel: 'm',
        maxOutputTokens: 100,
        supportedParameters: ['tools'],
        quirks: (wire === 'openai-chat' ? takesAudio : {}) as Quirks,
      };
      const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

      const refusal = refused(() => messagesWire(wire)!.encode(request, target, client));

      expect(refusal.metadata).toEqual({ field: 'messages.1.content.0.content.0.type' });
    },
  );
});
