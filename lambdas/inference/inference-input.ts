import type { InferenceCaller } from '../admission/caller.ts';
import type { RequestClaim } from '../admission/request-claim.ts';
import type { ProviderTime } from '../platform/provider-time.ts';

export interface InferenceInput<Body> {
  /** Validated body. A message of another client API is already in the form of the Messages API. */
  body: Body;
  caller: InferenceCaller;
  generationId: string;
  providerTime: ProviderTime;
  claim?: RequestClaim | undefined;
  request: {
    id: string;
    headers: Record<string, string>;
    /** performance.now() when the request was received. */
    receivedAtMs: number;
    clientAddress: string;
  };
  /** Time in ms until this process stops working on the request. */
  remainingMs: () => number;
  /** Aborts when the client disconnects; undefined if the process cannot detect that. */
  clientLeft: AbortSignal | undefined;
  /** Aborts when the process is about to end; undefined if the process gets no notice before its end. */
  stopping?: AbortSignal | undefined;
}
