import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import type { InputModality } from '../catalog/wires.ts';
import type { Quirks } from '../catalog/quirk-schemas.ts';

/**
 * The endpoint's properties that a wire needs. A wire has no access to accounts or money.
 * @typeParam Q - the wire's own quirks; by default the quirks of all wires
 */
export interface WireTarget<Q extends Quirks = Quirks> {
  providerId: string;
  upstreamModel: string;
  maxOutputTokens: number | undefined;
  supportedParameters: readonly string[];
  /** Undefined: every modality that its wire carries. */
  inputModalities?: readonly InputModality[] | undefined;
  quirks: Q;
}

/** A request in the provider's format. */
export interface WireRequest {
  /** Appended to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Converts between a provider's API format and the Messages API. The catalog gives a wire only its own endpoints, whose
 * quirks have its type. So a codec may be used for any wire's quirks.
 */
export interface MessagesWire<Q extends Quirks = Quirks> {
  /**
   * Encodes a streaming request.
   * @throws {GatewayError} 400 for a request that the wire cannot express
   */
  encode(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest;
  /** Encodes a request that counts the prompt's tokens; undefined if the endpoint cannot count. */
  encodeCount(request: MessagesRequest, target: WireTarget<Q>, client: ClientHeaders): WireRequest | undefined;
  /** The token count in the response to it, unchecked. */
  readCount(answer: unknown): unknown;
  /** Number of output tokens that may be billed without being shown, at most `maxOutputTokens`. */
  hiddenReasoning(request: MessagesRequest, target: WireTarget<Q>, maxOutputTokens: number): number;
  /**
   * Reads a streamed answer, one batch for each chunk. Batches before a failure are returned first. Any error results
   * from the provider's data, so callers treat it as the provider's failure.
   * @throws {UpstreamError} if the stream ends before the answer is complete
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext<Q>): AsyncGenerator<AnswerBatch, void>;
  /** Reads an answer that came as one JSON document instead of a stream; undefined if it is not an answer. */
  decodeWhole(body: unknown, context: DecodeContext<Q>): AnswerBatch | undefined;
}

/** The client's headers of the Messages API. */
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
