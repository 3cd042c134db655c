import type { AnswerBatch, MessagesRequest } from '../messages/types.ts';
import type { Quirks } from '../catalog/schema.ts';

/** What a wire needs to know of the endpoint it speaks to. It knows nothing of accounts or money. */
export interface WireTarget {
  providerId: string;
  upstreamModel: string;
  maxOutputTokens: number | undefined;
  supportedParameters: readonly string[];
  quirks: Quirks;
}

/** The request as an upstream takes it. */
export interface WireRequest {
  /** Appended to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** An upstream's refusal, in the words of the Messages API. */
export interface WireRefusal {
  type: string | undefined;
  message: string;
}

/** One format that upstreams speak, to and from the Messages API. */
export interface MessagesWire {
  /** Writes a request that streams. @throws {GatewayError} 400 for what the wire cannot express. */
  encode(request: MessagesRequest, target: WireTarget, client: ClientHeaders): WireRequest;
  /** Writes a request that counts the prompt; undefined where the endpoint cannot. */
  encodeCount(request: MessagesRequest, target: WireTarget, client: ClientHeaders): WireRequest | undefined;
  /** Output that may be billed without being seen, out of the most that the model may write. */
  hiddenOutput(request: MessagesRequest, target: WireTarget, maxOutputTokens: number): number;
  /** message_start carries the provider's own count of the prompt, not an estimate. */
  readonly countsPromptAtStart: boolean;
  /** The provider writes (and may charge for) caches that the request did not ask for. */
  readonly cachesUnasked: boolean;
  /** The provider does not charge for a refusal that came before any output, although it tells its tokens. */
  readonly declinesForFree: boolean;
  credentialHeaders(credential: string): Record<string, string>;
  /**
   * Reads a streamed answer, one batch per upstream chunk. What was read before a failure comes out before it.
   * Whatever it stumbles over came from the provider: callers take any error for the provider's failure.
   * @throws {UpstreamError} when the stream ends before the answer does.
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext): AsyncGenerator<AnswerBatch, void>;
  /** Reads an answer that came as one JSON document in place of a stream; undefined when it is none. */
  decodeWhole(body: unknown, context: DecodeContext): AnswerBatch | undefined;
  readRefusal(body: string): WireRefusal;
}

/** Headers of the client that belong to the Messages API. */
export interface ClientHeaders {
  anthropicVersion: string;
  anthropicBeta: string | undefined;
}

export interface DecodeContext {
  target: WireTarget;
  request: MessagesRequest;
  /** For wires that tell the prompt's tokens only at the end. */
  estimatedInputTokens: number;
}
