/** Speaks texts: a text becomes a request to a provider, and its response becomes bytes of sound. */

import type { SpeechQuirks } from '../../catalog/speech-quirks.ts';
import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import type { OpenedResponse, StreamPart } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Voice by its name, or by the id of a custom voice. */
export type Voice = string | { id: string };

/** A text to speak. */
export interface SpeechTask {
  text: string;
  format: SpeechFormat;
  voice: Voice | undefined;
  /** Factor of the usual speed; undefined for the usual speed. */
  speed: number | undefined;
  instructions: string | undefined;
  /** Endpoints that do not support every field are excluded. */
  requiresParameters: boolean;
}

/** A task with its voice. Fields that the endpoint does not list are removed. */
export interface SpokenTask extends Omit<SpeechTask, 'voice'> {
  voice: Voice;
}

export type SpeechTarget<Q extends SpeechQuirks = SpeechQuirks> = WireTarget<Q>;
export type SpeechPart = StreamPart<Buffer>;

export interface SpeechCodec<Q extends SpeechQuirks = SpeechQuirks> {
  /** Formats that the wire makes. */
  formats: readonly SpeechFormat[];
  /**
   * The request of a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: SpokenTask, target: SpeechTarget<Q>): WireRequest;
  /** Turns the provider's response into bytes in the requested format. */
  decode(response: OpenedResponse, task: SpokenTask, target: SpeechTarget<Q>): AsyncGenerator<SpeechPart, void>;
}

/** Returns the id of a voice, for providers whose custom voices have ids like those of other voices. */
export function voiceId(voice: Voice): string {
  return typeof voice === 'string' ? voice : voice.id;
}

/** Returns the characters that are charged: Unicode code points, also of white space and markup. */
export function characterCount(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
