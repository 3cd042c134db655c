/** Schemas of the quirks of wires that speak. */

import * as z from 'zod';
import { common } from './common-quirks.ts';
import { speechFormats } from './quirk-values.ts';

export const speechQuirks = z.strictObject({
  ...common,
  /** Voice of requests that name none. Absent: a request must name a voice. */
  default_voice: z.string().min(1).optional(),
  /** Maximum characters (Unicode code points) of a text. Absent: the gateway's own maximum. */
  max_characters: z.int().positive().optional(),
  /** Formats that the endpoint makes. Absent: all formats of the wire. */
  speech_formats: z.array(z.enum(speechFormats)).min(1).optional(),
  /** Accepted values of `speed`, at an endpoint that lists it. */
  speed_range: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /** Tokens of one second of sound, for a model that is priced by tokens. Absent: the model has no output tokens. */
  audio_tokens_per_second: z.number().positive().optional(),
});
export const openaiSpeechQuirks = speechQuirks.extend({
  /** Whether the model can send events, the last of which has its usage. */
  speech_events: z.boolean().optional(),
  /** Whether a custom voice is sent as an object with its id. Absent: the id is sent as the name of a voice. */
  voice_objects: z.boolean().optional(),
});
export const geminiSpeechQuirks = speechQuirks.extend({
  /** Where the model reads instructions: in the text before the speech, or in a field of their own (Gemini 3.8). */
  instructions_form: z.enum(['text', 'style']).optional(),
});
export type SpeechQuirks = z.infer<typeof speechQuirks>;
export type OpenaiSpeechQuirks = z.infer<typeof openaiSpeechQuirks>;
export type GeminiSpeechQuirks = z.infer<typeof geminiSpeechQuirks>;
