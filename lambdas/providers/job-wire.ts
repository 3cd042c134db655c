/**
 * Codecs for providers that make their answers, such as videos, in jobs. A job is submitted and polled until it ends;
 * then its files are fetched.
 */

export interface JobTarget {
  upstreamModel: string;
  quirks: Record<string, unknown>;
}

export interface JobHttpRequest {
  method: 'GET' | 'POST';
  /** Path to append to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  /** JSON of the request; undefined with GET. */
  body: string | undefined;
  /**
   * Whether to use a new connection, so that the request is sent once: after a reset, it is repeated only if its
   * connection was reused.
   */
  isFresh?: boolean;
}

export interface JobHttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Result of a submission. `refused`: the request is at fault. `failed`: the provider, or the operator's account there
 * (`fault`), is at fault, and the job was not accepted. `uncertain`: the provider may have accepted the job.
 */
export type Submitted =
  | { jobId: string }
  | { refused: string }
  | { failed: string; fault?: 'operator' | 'catalog' }
  | { uncertain: string };

export type Polled =
  | { state: 'working'; retryAfterSeconds?: number | undefined }
  /**
   * A `path` is at the provider, and needs the credential. A `url` may be on any host, and must not get the credential.
   */
  | { state: 'completed'; files: ({ url: string } | { path: string })[] }
  /** `wasModerated`: the provider's content moderation stopped the job, so a retry would fail too. */
  | { state: 'failed'; wasModerated?: true }
  | { state: 'cancelled' }
  /** The response does not contain the job's state, so the job is polled again later. */
  | { state: 'unknown'; reason: string; fault?: 'operator' };

/** A part of a request that the provider does not support. */
export interface JobObjection {
  field: string;
  message: string;
}

export interface JobWire<Request> {
  /** Whether the provider recognizes repeated submissions. Only then may an uncertain submission be repeated. */
  hasSubmissionTokens?: true;
  /** Returns the first unsupported part of a request; undefined if the provider supports all of it. */
  objectionTo?(request: Request, target: JobTarget): JobObjection | undefined;
  /**
   * Returns the request that submits a job.
   * @param job.clientToken the same for every attempt, so that the provider can detect repetitions
   */
  submit(
    request: Request,
    target: JobTarget,
    job: { clientToken: string; webhookUrl: string | undefined },
  ): JobHttpRequest;
  readSubmitted(answer: JobHttpAnswer): Submitted;
  poll(jobId: string, target: JobTarget): JobHttpRequest;
  readPolled(answer: JobHttpAnswer): Polled;
  /** Returns the URL of a file from a response that has this URL instead of the file. The URL needs no credential. */
  readFileAddress?(answer: JobHttpAnswer): string | undefined;
}
