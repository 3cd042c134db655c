import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import type { ImageOptions } from '../catalog/image-options.ts';
import type { TuningParameter } from '../catalog/sampling-parameters.ts';
import type { PullIterator } from '../platform/concurrency/pull-iterator.ts';
import type { InputModality } from '../catalog/wires.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';

/**
 * Properties of an endpoint that a wire (the codec of a provider's API format) needs. A wire has no access to accounts
 * or money.
 * @typeParam Q - the wire's own quirks; by default the common ones (quirk-schemas.ts)
 */
export interface WireTarget<Q extends Quirks = Quirks> {
  providerId: string;
  upstreamModel: string;
  maxOutputTokens: number | undefined;
  supportedParameters: readonly string[];
  /** Input modalities that the endpoint accepts; undefined if it accepts all modalities of its wire. */
  inputModalities?: readonly InputModality[] | undefined;
  /** Options of an endpoint that generates images. */
  image?: ImageOptions | undefined;
  quirks: Q;
}

/** A request in a provider's API format. */
export interface WireRequest<Body extends string | Buffer = string> {
  /** Path to append to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: Body;
}

/**
 * Converts between a provider's API format and the Messages API. The catalog assigns a wire only to endpoints whose
 * quirks have the type `Q`, so a codec for `Q` may be stored as a codec for any quirks.
 */
export interface MessagesWire<Q extends Quirks = Quirks> {
  /**
   * Encodes a request. Its answer is streamed, unless the model cannot stream it.
   * @throws {GatewayError} 400 for a request that the wire cannot express
   */
  encode(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest;
  /** Encodes a request for the number of the prompt's tokens; undefined if the endpoint cannot count tokens. */
  encodeCount(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest | undefined;
  /** Returns the token count from the response to a counting request. The caller checks the count. */
  readCount(answer: unknown): unknown;
  /**
   * Returns the optional parameters, such as temperature, that the model supports in general, but not in this request.
   * `encode` does not send them. If the method is absent, there are none.
   */
  unsupportedTunings?(request: MessagesRequest, target: WireTarget<Q>): readonly TuningParameter[];
  /** Returns how many output tokens may be billed without being visible in the answer, at most `maxOutputTokens`. */
  hiddenReasoning(request: MessagesRequest, target: WireTarget<Q>, maxOutputTokens: number): number;
  /**
   * Reads a streamed answer, and yields at most one batch of events for each chunk, and one at the end. Batches before
   * a failure are yielded first. Only the provider's data and its connection cause errors here, so every error is the
   * provider's failure.
   * @throws {UpstreamError} if the stream is unreadable or too large, or ends before the answer is complete
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext<Q>): PullIterator<AnswerBatch>;
  /**
   * Reads a non-streaming answer; undefined if the document is not an answer.
   * @throws {UpstreamError} for an unreadable answer
   */
  decodeWhole(body: unknown, context: DecodeContext<Q>): AnswerBatch | undefined;
}

/** Headers of the Messages API that the client sent. */
export interface ClientHeaders {
  anthropicVersion: string;
  anthropicBeta: string | undefined;
}

export interface DecodeContext<Q extends Quirks = Quirks> {
  target: WireTarget<Q>;
  request: MessagesRequest;
  /** Estimated tokens of the prompt, for wires that report the real number only at the end. */
  estimatedInputTokens: number;
}
