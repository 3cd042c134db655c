/** Schemas of the quirks of the wires that transcribe recordings. */

import * as z from 'zod';
import { common } from './common-quirks.ts';

export const transcriptionQuirks = z.strictObject({
  ...common,
  /** Maximum length of a recording in seconds. */
  max_seconds: z.int().positive().optional(),
  /** Maximum size of a recording in bytes. */
  max_file_bytes: z.int().positive().optional(),
  /** Minimum number of seconds that are billed for a recording. Default: 1. */
  min_billed_seconds: z.int().positive().optional(),
  /** The billed length is rounded up to a multiple of this number of seconds. Default: 1. */
  billed_step_seconds: z.int().positive().optional(),
  /** Maximum characters of a keyword. Default: the gateway's own maximum. */
  max_keyword_characters: z.int().positive().optional(),
  /** Percentage by which keywords raise the billed seconds, even if the provider reports the seconds. Default: 0. */
  keyword_surcharge_percent: z.int().positive().optional(),
  /** Maximum tokens for one second of a recording. Default: 50. */
  audio_tokens_per_second: z.number().positive().optional(),
});
export const openaiTranscriptionQuirks = transcriptionQuirks.extend({
  /** Whether the endpoint can send a transcript as events, if a request streams. */
  transcript_events: z.boolean().optional(),
  /** Names of the request fields: OpenAI's, which is the default, or Mistral's. */
  transcription_form: z.enum(['openai', 'mistral']).optional(),
});
export type TranscriptionQuirks = z.infer<typeof openaiTranscriptionQuirks>;
