import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import type { InputModality } from '../catalog/wires.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';

/**
 * What a wire needs to know of the endpoint it speaks to. It knows nothing of accounts or money.
 * @typeParam Q - the wire's own quirks; by default those that every wire has
 */
export interface WireTarget<Q extends Quirks = Quirks> {
  providerId: string;
  upstreamModel: string;
  maxOutputTokens: number | undefined;
  supportedParameters: readonly string[];
  /** Undefined: whatever its wire carries. */
  inputModalities?: readonly InputModality[] | undefined;
  quirks: Q;
}

/** The request as an upstream takes it. */
export interface WireRequest {
  /** Appended to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * One format that upstreams speak, to and from the Messages API. The catalog gives a wire only its own endpoints, so
 * their quirks have its type: that is why a codec may stand where a wire of any quirks is expected.
 */
export interface MessagesWire<Q extends Quirks = Quirks> {
  /** Writes a request that streams. @throws {GatewayError} 400 for what the wire cannot express. */
  encode(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest;
  /** Writes a request that counts the prompt; undefined where the endpoint cannot. */
  encodeCount(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest | undefined;
  /** The tokens that an answer to such a request tells, as they stand in it. */
  readCount(answer: unknown): unknown;
  /** Output tokens that may be billed without being seen, at most `maxOutputTokens`. */
  hiddenReasoning(request: MessagesRequest, target: WireTarget<Q>, maxOutputTokens: number): number;
  /**
   * Reads a streamed answer, one batch per upstream chunk. What was read before a failure comes out before it.
   * Any error comes from what the provider sent: callers treat it as the provider's failure.
   * @throws {UpstreamError} when the stream ends before the answer does.
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext<Q>): AsyncGenerator<AnswerBatch, void>;
  /** Reads an answer that came as one JSON document instead of a stream; undefined when it is not an answer. */
  decodeWhole(body: unknown, context: DecodeContext<Q>): AnswerBatch | undefined;
}

/** Headers of the client that belong to the Messages API. */
export interface ClientHeaders {
  anthropicVersion: string;
  anthropicBeta: string | undefined;
}

export interface DecodeContext<Q extends Quirks = Quirks> {
  target: WireTarget<Q>;
  request: MessagesRequest;
  /** For wires that report the prompt's tokens only at the end. */
  estimatedInputTokens: number;
}
