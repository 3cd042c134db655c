import type { SpeechQuirks } from '../../catalog/speech-quirks.ts';
import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import type { OpenedResponse, StreamPart } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Name of a voice, or the id of a custom voice. */
export type Voice = string | { id: string };

/** Further fields that only tune the speech, with the names and values of ElevenLabs' API. */
export interface FurtherTuning {
  /** Settings of the voice, without its speed. */
  voice_settings?: Readonly<Record<string, unknown>> | undefined;
  seed?: number | undefined;
  language_code?: string | undefined;
  /** Text before the spoken text. It is not spoken. */
  previous_text?: string | undefined;
  /** Text after the spoken text. It is not spoken. */
  next_text?: string | undefined;
  /** Sample rate and bit rate of the audio. Its codec is the format of the task. */
  output_format?: string | undefined;
  optimize_streaming_latency?: string | undefined;
}

export interface SpeechTask extends FurtherTuning {
  text: string;
  format: SpeechFormat;
  voice: Voice | undefined;
  /** Speed relative to the voice's usual speed; undefined for the usual speed. */
  speed: number | undefined;
  instructions: string | undefined;
  /** Whether endpoints that do not support every field of the request are excluded. */
  requiresParameters: boolean;
}

/** A task with its voice, without the fields that the endpoint does not list. */
export interface SpokenTask extends Omit<SpeechTask, 'voice'> {
  voice: Voice;
}

export type SpeechTarget<Q extends SpeechQuirks = SpeechQuirks> = WireTarget<Q>;
export type SpeechPart = StreamPart<Buffer>;

export interface SpeechCodec<Q extends SpeechQuirks = SpeechQuirks> {
  formats: readonly SpeechFormat[];
  /**
   * Encodes the request for a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: SpokenTask, target: SpeechTarget<Q>): WireRequest;
  /** Converts the provider's response to bytes in the requested format. */
  decode(response: OpenedResponse, task: SpokenTask, target: SpeechTarget<Q>): AsyncGenerator<SpeechPart, void>;
}

/** Returns the voice as one string, for providers whose requests have the same field for names and custom ids. */
export function voiceId(voice: Voice): string {
  return typeof voice === 'string' ? voice : voice.id;
}

/** Returns the number of billed characters: Unicode code points, including white space and markup. */
export function characterCount(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
