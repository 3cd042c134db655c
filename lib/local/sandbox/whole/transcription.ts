/**
 * Transcripts in the format of OpenAI: the text hidden in the sandbox's own speech, or else a text computed from the
 * file's bytes.
 */

import { createHash } from 'node:crypto';
import { parseDirectiveLine, readDirectives, withoutDirectives } from '../directives.ts';
import { openaiRefusal } from '../openai-refusal.ts';
import { spokenTextIn } from '../spoken-text.ts';
import { requestedFailure, type SandboxAnswer } from '../whole-answers.ts';

const WORDS = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel'];
const BYTES_PER_SECOND = 32_000;
const WAV_HEADER_BYTES = 44;
const WAV_BYTE_RATE_OFFSET = 28;
const AUDIO_TOKENS_PER_SECOND = 10;
const CHARACTERS_PER_TEXT_TOKEN = 4;
const ABSURD_SECONDS = 1_000_000_000;
/** Model that is priced by tokens. */
const TOKEN_MODEL = 'token-scribe';

export const wholeAnswers = {
  '/openai/v1/audio/transcriptions': (form: FormData) => transcribe(form, 'transcribe'),
  '/openai/v1/audio/translations': (form: FormData) => transcribe(form, 'translate'),
};

async function transcribe(form: FormData, task: 'transcribe' | 'translate'): Promise<SandboxAnswer> {
  const file = form.get('file');
  if (!(file instanceof Blob)) return { status: 400, body: openaiRefusal(400, "Missing required parameter: 'file'.") };
  const bytes = Buffer.from(await file.arrayBuffer());
  const hidden = spokenTextIn(bytes) ?? '';
  const prompt = `${form.get('prompt') as string | null}\n${hidden}`;
  const directives = readDirectives(prompt);
  if (directives.error !== undefined) return requestedFailure(directives.error);
  const text = withoutDirectives(hidden).trim() || wordsFromBytes(bytes);
  const usage = heardUsage(form.get('model') as string, {
    bytes,
    text,
    fault: parseDirectiveLine(prompt).valueOf('usage'),
  });
  if (form.get('stream') === 'true') {
    return {
      status: 200,
      body: {},
      delivery: directives,
      contentType: 'text/event-stream',
      pieces: eventsOf(text, usage),
    };
  }
  const isVerbose = form.get('response_format') === 'verbose_json';
  const parts = isVerbose ? { task, language: 'english', ...wordTimes(text, lengthOf(bytes)) } : {};
  const body = { text: directives.nullAt === undefined ? text : null, ...parts, ...usage };
  return { status: 200, body, delivery: directives };
}

function eventsOf(text: string, usage: object): Buffer[] {
  const deltas = text.match(/\s*\S+/g) ?? [];
  return [
    ...deltas.map((delta) => transcriptEvent({ type: 'transcript.text.delta', delta })),
    transcriptEvent({ type: 'transcript.text.done', text, ...usage }),
  ];
}

function transcriptEvent(data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
}

function wordsFromBytes(bytes: Buffer): string {
  return [...createHash('sha256').update(bytes).digest().subarray(0, 8)]
    .map((byte) => WORDS[byte % WORDS.length])
    .join(' ');
}

/** Returns the times of the words, which have equal durations. The last word ends with the recording. */
function wordTimes(text: string, seconds: number): object {
  const spoken = text.split(/\s+/);
  const startOf = (index: number) => hundredths((seconds * index) / spoken.length);
  const words = spoken.map((word, index) => ({ word, start: startOf(index), end: startOf(index + 1) }));
  const end = hundredths(seconds);
  return { duration: end, words, segments: [{ id: 0, seek: 0, start: 0, end, text: ` ${text}`, tokens: [] }] };
}

function hundredths(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

interface Heard {
  bytes: Buffer;
  text: string;
  /** Fault in the usage that a directive requests. */
  fault: string | undefined;
}

function heardUsage(model: string, { bytes, text, fault }: Heard): object {
  if (fault === 'none') return {};
  const seconds = fault === 'absurd' ? ABSURD_SECONDS : secondsOf(bytes);
  if (model !== TOKEN_MODEL) return { usage: { type: 'duration', seconds } };
  const audio_tokens = Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
  const output_tokens = Math.ceil(text.length / CHARACTERS_PER_TEXT_TOKEN);
  return {
    usage: {
      type: 'tokens',
      input_tokens: audio_tokens,
      input_token_details: { audio_tokens, text_tokens: 0 },
      output_tokens,
      total_tokens: audio_tokens + output_tokens,
    },
  };
}

function secondsOf(bytes: Buffer): number {
  return Math.max(1, Math.round(lengthOf(bytes)));
}

/** Returns the duration in the header of a WAV file; other files count as 16-bit mono audio at 16 kHz. */
function lengthOf(bytes: Buffer): number {
  const isWave = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.length > WAV_HEADER_BYTES;
  if (!isWave) return bytes.length / BYTES_PER_SECOND;
  return (bytes.length - WAV_HEADER_BYTES) / bytes.readUInt32LE(WAV_BYTE_RATE_OFFSET);
}
