import type { TranscriptionQuirks } from '../../catalog/transcription-quirks.ts';
import type { RecordingFormat } from '../../catalog/quirk-values.ts';
import type { BatchReader, DecodeStream, StreamedAnswer } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** A recording whose format and length were read from its bytes. */
export interface Recording {
  bytes: Buffer;
  format: RecordingFormat;
  /** Length in seconds; undefined if it cannot be read, or is implausible for the file's size. */
  seconds: number | undefined;
  /** Upper bound on the length in seconds. */
  maxSeconds: number;
  /** Samples of an uncompressed 16-bit recording, for providers that accept samples without a header. */
  samples?: { sampleRate: number; channels: number; bytes: Buffer } | undefined;
}

export interface TranscriptionTask {
  recording: Recording;
  /** Languages that may be spoken (ISO 639-1). If empty, the provider detects or assumes the language. */
  languages: readonly string[];
  /** Text that precedes the recording, or describes it. */
  prompt: string | undefined;
  keywords: readonly string[];
  temperature: number | undefined;
  /** Whether the transcript needs the times of its segments and words. */
  needsTimes: boolean;
  /** Whether the client requires the times of words. */
  needsWords?: boolean;
  /** Whether the client prefers times, but accepts a transcript without them. */
  prefersTimes?: boolean;
  /** Whether endpoints that do not support every field are excluded, even if a field only guides the transcription. */
  needsAllFields: boolean;
  /** Whether the gateway forwards the transcript as it arrives. */
  streams: boolean;
  /** Whether the transcript is translated to English. */
  translates: boolean;
}

/** A segment or a word of a transcript. Times are seconds from the beginning. */
export interface TranscriptPart {
  text: string;
  start: number;
  end: number;
  speaker?: string | undefined;
}

/** Values of Whisper's decoder for a segment, by their names in OpenAI's API. */
export interface SegmentDecoding {
  seek: number;
  tokens: number[];
  temperature: number;
  avg_logprob: number;
  compression_ratio: number;
  no_speech_prob: number;
}

interface TranscriptSegment extends TranscriptPart {
  decoding?: Partial<SegmentDecoding>;
}

export interface Transcript {
  text: string;
  language?: string | undefined;
  /** Length of the recording in seconds; absent if the provider does not report it. */
  seconds?: number | undefined;
  segments: readonly TranscriptSegment[];
  words: readonly TranscriptPart[];
  /** Probability of the language, and the logarithm of each word's probability; absent if the provider reports none. */
  probabilities?: { language: number | undefined; words: readonly (number | undefined)[] };
}

export interface TranscriptDelta {
  delta: string;
}

export type TranscriptionAnswer = Transcript | StreamedAnswer<TranscriptDelta>;

export type TranscriptionTarget = WireTarget<TranscriptionQuirks>;

export interface TranscriptionCodec extends BatchReader {
  formats: readonly RecordingFormat[];
  /** Usual audio tokens per second of a recording, charged if a provider with prices for tokens reports no usage. */
  tokensPerSecond?: number;
  /** Whether the provider reports the billed seconds, which may differ a little from the gateway's own calculation. */
  reportsSeconds: boolean;
  /** Highest temperature that the provider accepts. Default: 1. */
  maxTemperature?: number;
  /**
   * Encodes the request for a task.
   * @throws {GatewayError} 400 for a task that the wire cannot express
   */
  requestFor(task: TranscriptionTask, target: TranscriptionTarget): WireRequest<string | Buffer>;
  /** Reads a transcript as it arrives, from endpoints that send it as events; absent if the wire has no events. */
  decode?: DecodeStream<TranscriptDelta>;
  /**
   * Reads the transcript in a complete response.
   * @throws {UpstreamError} for a response without a transcript
   */
  transcriptIn(body: unknown, target: TranscriptionTarget): Transcript;
}
