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

/** Returns the charge for a recording of 60 seconds, for which the provider sends this answer. */
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
  return chargedFor(batchRequest!, engine.readUsage(answer, {}), candidate).cost.toString();
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
    // Seconds have no price here, so 1,500 tokens of the recording and one token of the answer are estimated.
    ['openai/openai/gpt-4o-transcribe', { usage: { type: 'duration', seconds: 60 } }, [], '0.37224'],
    ['openai/openai/whisper-1', { usage: { type: 'duration', seconds: 3 } }, [], '0.0297'],
  ])('at %s for %j with the keywords %j is %s RUB', async (id, answer, keywords, rub) => {
    expect(await chargeOf(id, answer, keywords)).toBe(rub);
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
