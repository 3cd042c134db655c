import type { WireOf } from '../../catalog/wires.ts';
import type { BatchEngine, StreamedAnswer } from '../batch-engine.ts';
import type { SpeechTask } from './codec.ts';
import { deepgramSpeech } from './deepgram.ts';
import { elevenlabsSpeech } from './elevenlabs.ts';
import { geminiSpeech } from './gemini.ts';
import { mistralSpeech } from './mistral.ts';
import { openaiSpeech } from './openai.ts';
import { saluteSpeech } from './salute.ts';
import { xaiSpeech } from './xai.ts';
import { yandexSpeech } from './yandex.ts';
import { speaker } from './speaker.ts';

export const speechEngines: Record<WireOf<'tts'>, BatchEngine<SpeechTask, StreamedAnswer<Buffer>>> = {
  'openai-speech': speaker(openaiSpeech),
  'gemini-speech': speaker(geminiSpeech),
  'elevenlabs-speech': speaker(elevenlabsSpeech),
  'deepgram-speech': speaker(deepgramSpeech),
  'mistral-speech': speaker(mistralSpeech),
  'xai-speech': speaker(xaiSpeech),
  'yandex-speech': speaker(yandexSpeech),
  'salute-speech': speaker(saluteSpeech),
};
