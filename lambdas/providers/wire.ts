import type { AnswerEvent, MessagesRequest } from '../messages/types.ts';
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
  /** message_start carries the provider's own count of the prompt, not an estimate. */
  readonly countsPromptAtStart: boolean;
  credentialHeaders(credential: string): Record<string, string>;
  /**
   * Reads a streamed answer into events, one batch per upstream chunk.
   * @throws {UpstreamError} when the stream ends before the answer does.
   */
  decode(body: AsyncIterable<Buffer>, context: DecodeContext): AsyncGenerator<AnswerEvent[], void>;
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
