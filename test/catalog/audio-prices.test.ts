/**
 * Charges for speech and transcripts at the shipped prices, for the usage that providers report. Sources:
 * https://docs.x.ai/developers/models/text-to-speech ($15 per million characters; HeyPuter/puter#3089, 2026-05-12),
 * https://deepgram.com/pricing (keyterm prompting: $0.0013 per minute on top of the recording),
 * https://elevenlabs.io/docs/api-reference/speech-to-text/convert (20 % more with keyterms), and pydantic/genai-prices#589
 * (Groq charges at least ten seconds).
 */

import { describe, expect, it } from 'vitest';
import { priceUsage } from '../../lambdas/accounting/price.ts';
import type { BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { chargedFor } from '../../lambdas/inference/batch/rounds.ts';
import { readRecording } from '../../lambdas/inference/recordings/read-recording.ts';
import type { TranscriptionTask } from '../../lambdas/providers/transcription/codec.ts';
import { transcriptionEngines } from '../../lambdas/providers/transcription/engines.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { waveFile } from '../support/recordings.ts';

const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
const endpointOf = (id: string) => endpoints.find((endpoint) => endpoint.id === id)!;

const task = async (keywords: string[]): Promise<TranscriptionTask> => ({
  recording: await readRecording(waveFile(60), 'file'),
  languages: [],
  prompt: undefined,
  keywords,
  temperature: undefined,
  needsTimes: false,
  needsAllFields: false,
  streams: false,
  translates: false,
});

/** Returns the charge in RUB for a recording of 60 seconds. */
async function chargeOf(id: string, answer: object, keywords: string[] = []): Promise<string> {
  const endpoint = endpointOf(id);
  const engine = transcriptionEngines[endpoint.wire as keyof typeof transcriptionEngines];
  const target = {
    providerId: endpoint.provider.id,
    upstreamModel: endpoint.upstreamModel,
    maxOutputTokens: undefined,
    supportedParameters: ['keywords'],
    quirks: endpoint.quirks,
  };
  const [batchRequest] = engine.batchRequests(await task(keywords), target);
  const candidate = { endpoint, pricing: endpoint.pricing!, engine, target } as unknown as BatchCandidate;
  const writtenTokens = engine.writtenTokens?.(answer, target);
  return chargedFor(batchRequest!, engine.readUsage(answer, {}), candidate, writtenTokens).cost.toString();
}

describe('the charge of a transcript', () => {
  it.each([
    ['deepgram/deepgram/nova-3', { metadata: { duration: 59.4 } }, [], '0.9108'],
    ['deepgram/deepgram/nova-3', { metadata: { duration: 59.4 } }, ['DHL'], '1.04742'],
    ['elevenlabs/elevenlabs/scribe-v2', { audio_duration_secs: 57.2 }, [], '0.3509'],
    ['elevenlabs/elevenlabs/scribe-v2', { audio_duration_secs: 57.2 }, ['DHL'], '0.4235'],
    ['elevenlabs/elevenlabs/scribe-v2', {}, ['DHL'], '0.4356'],
    ['groq/openai/whisper-large-v3', { usage: { type: 'duration', seconds: 3 } }, [], '0.030525'],
    ['groq/openai/whisper-large-v3', {}, [], '0.18315'],
    ['groq/openai/whisper-large-v3', { duration: 57.2 }, [], '0.177045'],
    ['openai/openai/gpt-4o-transcribe', { usage: { input_tokens: 600, output_tokens: 200 } }, [], '0.5544'],
    // Seconds have no price here, so 600 tokens of the recording and one token of the answer are estimated.
    ['openai/openai/gpt-4o-transcribe', { usage: { type: 'duration', seconds: 60 } }, [], '0.35739'],
    ['openai/openai/gpt-4o-transcribe', {}, [], '0.35739'],
    ['openai/openai/gpt-4o-transcribe', { usage: { input_tokens: 0, output_tokens: 0 } }, [], '0.35739'],
    ['google/google/gemini-3.1-flash-lite-transcription', {}, [], '0.0951885'],
    ['google/google/gemini-3.1-flash-lite-transcription', { usageMetadata: { promptTokenCount: 0 } }, [], '0.0951885'],
    ['openai/openai/whisper-1', { usage: { type: 'duration', seconds: 3 } }, [], '0.0297'],
  ])('at %s for %j with the keywords %j is %s RUB', async (id, answer, keywords, rub) => {
    expect(await chargeOf(id, answer, keywords)).toBe(rub);
  });
});

const ofGoogle = (text: string, counts: object) => ({
  candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 600, ...counts },
});

// 400 characters are 100 tokens: 0.099 RUB at OpenAI, and 0.01485 RUB at Google. Silence has no tokens.
describe('the charge of a transcript with 0 reported output tokens', () => {
  const [openai, google] = ['openai/openai/gpt-4o-transcribe', 'google/google/gemini-3.1-flash-lite-transcription'];
  it.each([
    [openai, '0.4554', { text: 'x'.repeat(400), usage: { input_tokens: 600, output_tokens: 0 } }],
    [openai, '0.3564', { text: '', usage: { input_tokens: 600, output_tokens: 0 } }],
    [google, '0.04455', ofGoogle('x'.repeat(400), { candidatesTokenCount: 0 })],
    [google, '0.04455', ofGoogle('x'.repeat(400), {})],
    [google, '0.0297', ofGoogle('', {})],
    ['groq/openai/whisper-large-v3', '0.177045', { text: 'x'.repeat(400), duration: 57.2 }],
  ])('at %s includes the written text: %s RUB', async (id, rub, answer) => {
    expect(await chargeOf(id, answer)).toBe(rub);
  });
});

describe('the charge of a text to speak', () => {
  it.each([
    ['xai/x-ai/grok-tts', '1.485'],
    ['elevenlabs/elevenlabs/eleven-v4', '7.92'],
  ])('at %s for 1,000 characters is %s RUB', (id, rub) => {
    const usage = { inputTokens: 0, outputTokens: 0, characters: 1_000 };

    expect(priceUsage(usage, endpointOf(id).pricing!).total.toString()).toBe(rub);
  });
});
