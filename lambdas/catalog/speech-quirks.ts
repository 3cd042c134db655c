import * as z from 'zod';
import { common } from './common-quirks.ts';
import { speechFormats } from './quirk-values.ts';

export const speechQuirks = z.strictObject({
  ...common,
  /** Voice for requests that name none. Absent: a request must name a voice. */
  default_voice: z.string().min(1).optional(),
  /** Maximum Unicode code points of a text. Absent: the gateway's own maximum. */
  max_characters: z.int().positive().optional(),
  /** Audio formats of the endpoint. Absent: all formats of the wire. */
  speech_formats: z.array(z.enum(speechFormats)).min(1).optional(),
  /** Lowest and highest accepted `speed`, for an endpoint that lists this parameter. */
  speed_range: z.tuple([z.number().positive(), z.number().positive()]).optional(),
  /** Tokens per second of audio, for a model that is priced by tokens. Absent: the model has no output tokens. */
  audio_tokens_per_second: z.number().positive().optional(),
});
export const openaiSpeechQuirks = speechQuirks.extend({
  /** Whether the model can send events, of which the last one contains the usage. */
  speech_events: z.boolean().optional(),
  /** Whether a custom voice is sent as an object with its id. Absent: the id is sent like the name of a voice. */
  voice_objects: z.boolean().optional(),
});
export const geminiSpeechQuirks = speechQuirks.extend({
  /** Place of instructions: in the text before the words to speak, or in a separate field (Gemini 3.8). */
  instructions_form: z.enum(['text', 'style']).optional(),
});
export type SpeechQuirks = z.infer<typeof speechQuirks>;
export type OpenaiSpeechQuirks = z.infer<typeof openaiSpeechQuirks>;
export type GeminiSpeechQuirks = z.infer<typeof geminiSpeechQuirks>;
