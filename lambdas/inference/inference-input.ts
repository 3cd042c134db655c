import type { InferenceCaller } from '../admission/caller.ts';
import type { RequestClaim } from '../admission/request-claim.ts';
import type { ProviderTime } from '../platform/provider-time.ts';

/** A request for inference, however it came in. */
export interface InferenceInput<Body> {
  /** As the client sent it, checked. */
  body: Body;
  caller: InferenceCaller;
  generationId: string;
  /** What is noted of the providers that are asked. */
  providerTime: ProviderTime;
  /** What an Idempotency-Key claims; undefined without one. */
  claim?: RequestClaim | undefined;
  request: {
    id: string;
    /** Names in small letters. */
    headers: Record<string, string>;
    /** A moment of the monotonic clock, in milliseconds. */
    receivedAtMs: number;
    clientAddress: string;
  };
  /** Milliseconds until this process stops working on it. */
  remainingMs: () => number;
  /** Aborts when the client has left; undefined where that cannot be noticed. */
  clientLeft: AbortSignal | undefined;
  /** Aborts when the process is about to end; undefined where it is not told. */
  stopping?: AbortSignal | undefined;
}
