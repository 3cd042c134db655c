import type { InferenceCaller } from '../admission/caller.ts';
import type { RequestClaim } from '../admission/request-claim.ts';
import type { ProviderTime } from '../platform/provider-time.ts';

/** A request for inference, from any route. */
export interface InferenceInput<Body> {
  /** As the client sent it, validated. */
  body: Body;
  caller: InferenceCaller;
  generationId: string;
  /** Measures the time spent on providers. */
  providerTime: ProviderTime;
  /** The claim of the `Idempotency-Key`; undefined without that header. */
  claim?: RequestClaim | undefined;
  request: {
    id: string;
    /** Names in lower case. */
    headers: Record<string, string>;
    /** performance.now() when the request was received. */
    receivedAtMs: number;
    clientAddress: string;
  };
  /** Milliseconds until this process stops working on the request. */
  remainingMs: () => number;
  /** Aborts when the client disconnects; undefined if the process cannot notice that. */
  clientLeft: AbortSignal | undefined;
  /** Aborts when the process is about to end; undefined if the process gets no notice of that. */
  stopping?: AbortSignal | undefined;
}
