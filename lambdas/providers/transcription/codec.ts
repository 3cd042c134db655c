/** Transcribes recordings: a recording becomes a request to a provider, and its response becomes a transcript. */

import type { TranscriptionQuirks } from '../../catalog/quirk-schemas.ts';
import type { RecordingFormat } from '../../catalog/quirk-values.ts';
import type { BatchReader, DecodeStream, StreamedAnswer } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** A recording whose format and length were read from its bytes. */
export interface Recording {
  bytes: Buffer;
  format: RecordingFormat;
  /** Length in seconds; undefined if it cannot be read, or is not plausible for the size. */
  seconds: number | undefined;
  /** Upper bound on the length in seconds. */
  maxSeconds: number;
  /** Samples of an uncompressed recording, for providers that take them without a header. */
  samples?: { sampleRate: number; channels: number; bytes: Buffer } | undefined;
}

export interface TranscriptionTask {
  recording: Recording;
  /** Languages that may be spoken (ISO 639-1); empty if the provider shall detect them. */
  languages: readonly string[];
  /** Text that precedes the recording, or describes it. */
  prompt: string | undefined;
  keywords: readonly string[];
  temperature: number | undefined;
  /** Whether the transcript needs the times of its segments and words. */
  needsTimes: boolean;
  /** Whether an endpoint must take each field, also one that only guides the transcription. */
  needsAllFields: boolean;
  /** Whether the transcript is forwarded while the provider sends it. */
  streams: boolean;
  /** Whether the transcript is an English translation. */
  translates: boolean;
}

/** A part of a transcript. Times are seconds from the beginning. */
export interface TranscriptPart {
  text: string;
  start: number;
  end: number;
  speaker?: string | undefined;
}

export interface Transcript {
  text: string;
  language?: string | undefined;
  /** Length of the recording in seconds, if the provider reports it. */
  seconds?: number | undefined;
  segments: readonly TranscriptPart[];
  words: readonly TranscriptPart[];
}

/** A part of a transcript that is forwarded. */
export interface TranscriptDelta {
  delta: string;
}

export type TranscriptionAnswer = Transcript | StreamedAnswer<TranscriptDelta>;

export type TranscriptionTarget = WireTarget<TranscriptionQuirks>;

export interface TranscriptionCodec extends BatchReader {
  /** Formats that the provider accepts. */
  formats: readonly RecordingFormat[];
  /** Whether the provider reports the billed seconds. They may then differ a little from the gateway's own count. */
  reportsSeconds: boolean;
  /**
   * Builds the request of a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: TranscriptionTask, target: TranscriptionTarget): WireRequest<string | Buffer>;
  /** Reads a transcript while it arrives, at endpoints that send it as events; absent if the wire has no events. */
  decode?: DecodeStream<TranscriptDelta>;
  /**
   * Reads the transcript in a response.
   * @throws {UpstreamError} for a response without a transcript
   */
  transcriptIn(body: unknown, target: TranscriptionTarget): Transcript;
}
