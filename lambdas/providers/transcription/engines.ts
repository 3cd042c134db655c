import type { WireOf } from '../../catalog/wires.ts';
import type { BatchEngine } from '../batch-engine.ts';
import type { TranscriptionAnswer, TranscriptionTask } from './codec.ts';
import { deepgramTranscription } from './deepgram.ts';
import { elevenlabsTranscription } from './elevenlabs.ts';
import { geminiTranscription } from './gemini.ts';
import { openaiTranscription } from './openai.ts';
import { saluteTranscription } from './salute.ts';
import { transcriber } from './transcriber.ts';
import { xaiTranscription } from './xai.ts';
import { yandexTranscription } from './yandex.ts';

export const transcriptionEngines: Record<WireOf<'stt'>, BatchEngine<TranscriptionTask, TranscriptionAnswer>> = {
  'openai-transcription': transcriber(openaiTranscription),
  'elevenlabs-transcription': transcriber(elevenlabsTranscription),
  'deepgram-transcription': transcriber(deepgramTranscription),
  'xai-transcription': transcriber(xaiTranscription),
  'yandex-transcription': transcriber(yandexTranscription),
  'salute-transcription': transcriber(saluteTranscription),
  'gemini-transcription': transcriber(geminiTranscription),
};
