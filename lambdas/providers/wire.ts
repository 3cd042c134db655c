import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import type { ImageOptions } from '../catalog/image-options.ts';
import type { TuningParameter } from '../catalog/sampling-parameters.ts';
import type { PullIterator } from '../platform/concurrency/pull-iterator.ts';
import type { InputModality } from '../catalog/wires.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';

/** Properties of an endpoint that a wire (the codec of a provider's API format) needs. */
export interface WireTarget<Q extends Quirks = Quirks> {
  providerId: string;
  upstreamModel: string;
  maxOutputTokens: number | undefined;
  supportedParameters: readonly string[];
  /** Input modalities that the endpoint accepts; undefined if it accepts all modalities of its wire. */
  inputModalities?: readonly InputModality[] | undefined;
  image?: ImageOptions | undefined;
  quirks: Q;
}

export interface WireRequest<Body extends string | Buffer = string> {
  /** Path to append to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: Body;
}

/**
 * Codec of a wire. The catalog assigns it only to endpoints with quirks `Q`, so it may be used as a codec for any
 * quirks.
 */
export interface MessagesWire<Q extends Quirks = Quirks> {
  /**
   * Encodes a request, whose answer is streamed unless the model cannot stream it.
   * @throws {GatewayError} 400 for a request that the wire cannot express
   */
  encode(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest;
  /** Encodes a request for the number of the prompt's tokens; undefined if the endpoint cannot count tokens. */
  encodeCount(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest | undefined;
  /** Returns the token count from the response to a counting request. The caller checks the count. */
  readCount(answer: unknown): unknown;
  /**
   * Returns the optional parameters that the model supports in general, but not in this request, so that `encode` does
   * not send them. Absent if there are none.
   */
  unsupportedTunings?(request: MessagesRequest, target: WireTarget<Q>): readonly TuningParameter[];
  /** Returns how many output tokens may be billed without being visible in the answer, at most `maxOutputTokens`. */
  hiddenReasoning(request: MessagesRequest, target: WireTarget<Q>, maxOutputTokens: number): number;
  /**
   * Reads a streamed answer in batches, at most one per chunk and one at the end. A failure is thrown after the batches
   * that precede it.
   * @throws {UpstreamError} if the stream is unreadable or too large, or ends before the answer is complete
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext<Q>): PullIterator<AnswerBatch>;
  /**
   * Reads a non-streaming answer; undefined if the document is not an answer.
   * @throws {UpstreamError} for an unreadable answer
   */
  decodeWhole(body: unknown, context: DecodeContext<Q>): AnswerBatch | undefined;
}

export interface ClientHeaders {
  anthropicVersion: string;
  anthropicBeta: string | undefined;
  /** The client's name for the conversation, after its account: accounts may use the same names. */
  session?: string | undefined;
}

export interface DecodeContext<Q extends Quirks = Quirks> {
  target: WireTarget<Q>;
  request: MessagesRequest;
  /** Estimated tokens of the prompt, for wires that report the real number only at the end. */
  estimatedInputTokens: number;
}
