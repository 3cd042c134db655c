/** Speech in the format of OpenAI: a tone for each word, or silent MP3. */

import { parseDirectiveLine, readDirectives, withoutDirectives } from '../directives.ts';
import { openaiRefusal } from '../openai-refusal.ts';
import { mp3OfWord, toneOf, wavHeaderOf } from '../sound.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

interface SandboxSpeechRequest {
  model: string;
  input: string;
  voice: string | { id: string };
  response_format?: string;
  speed?: number;
  stream_format?: 'audio' | 'sse';
}

const MAX_CHARACTERS = 4_096;
const TOKENS_PER_WORD = 4;
const SPOKEN_CHARACTERS_PER_TOKEN = 4;
const ABSURD_SOUND_TOKENS = 1_000_000_000;
const SOUND_TYPES: Readonly<Record<string, string>> = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' };

export const wholeAnswers = { '/openai/v1/audio/speech': speak };

function speak(request: SandboxSpeechRequest): SandboxAnswer {
  const { input, voice, response_format: format = 'mp3', stream_format: form } = request;
  const directives = readDirectives(input);
  if (directives.error !== undefined) return requestedFailure(directives.error);
  const objection = objectionToSpeech(request);
  if (objection !== undefined) return { status: 400, body: openaiRefusal(400, objection) };
  // An error with a success status, as some servers send it.
  if (directives.nullAt !== undefined) {
    return { status: 200, body: { error: { message: 'The sandbox was asked to send an error in place of sound' } } };
  }
  const name = typeof voice === 'string' ? voice : voice.id;
  const words = wordsToSpeak(withoutDirectives(input), directives.tokens);
  const sound = words.map((word) => (format === 'mp3' ? mp3OfWord() : toneOf(word, name)));
  if (format === 'wav') sound[0] = Buffer.concat([wavHeaderOf(words.length, words.join(' ')), sound[0]!]);
  return form === 'sse'
    ? {
        status: 200,
        body: {},
        delivery: directives,
        contentType: 'text/event-stream',
        pieces: sandboxSoundEvents(input, sound),
      }
    : { status: 200, body: {}, delivery: directives, contentType: SOUND_TYPES[format]!, pieces: sound };
}

function objectionToSpeech({
  input,
  response_format: format = 'mp3',
  speed = 1,
}: SandboxSpeechRequest): string | undefined {
  if (Array.from(input).length > MAX_CHARACTERS)
    return `string too long: expected at most ${MAX_CHARACTERS} characters`;
  if (!(format in SOUND_TYPES)) return `'response_format' must be one of mp3, wav and pcm.`;
  if (speed < 0.25 || speed > 4) return `'speed' must be between 0.25 and 4.`;
  return undefined;
}

function wordsToSpeak(text: string, count: number | undefined): string[] {
  const words = text.match(/\S+/g) ?? ['silence'];
  return count === undefined ? words : Array.from({ length: Math.max(1, count) }, (_, at) => words[at % words.length]!);
}

function sandboxSoundEvents(input: string, sound: readonly Buffer[]): Buffer[] {
  const usage = parseDirectiveLine(input).valueOf('usage');
  const input_tokens = Math.ceil(input.length / SPOKEN_CHARACTERS_PER_TOKEN);
  const output_tokens = usage === 'absurd' ? ABSURD_SOUND_TOKENS : sound.length * TOKENS_PER_WORD;
  const counted = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
  return [
    ...sound.map((bytes) => sandboxSpeechEvent({ type: 'speech.audio.delta', audio: bytes.toString('base64') })),
    sandboxSpeechEvent({ type: 'speech.audio.done', ...(usage === 'none' ? {} : { usage: counted }) }),
  ];
}

function sandboxSpeechEvent(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}
