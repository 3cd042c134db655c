/**
 * Interface of the codecs for video providers. A job is submitted and polled until it ends; then its files are fetched.
 * A wire only encodes requests and reads responses. Its caller decides who sends requests, when, and how often.
 */

/** A client's video request, checked against the model's options. */
export interface VideoRequest {
  prompt: string | undefined;
  durationSeconds: number;
  resolution: string;
  aspectRatio: string;
  /**
   * Images for the first or the last frame of the video. Images that the client sent as URLs have already been fetched.
   */
  frames: { frame: 'first_frame' | 'last_frame'; mediaType: string; base64: string }[];
  seed: number | undefined;
  withAudio: boolean | undefined;
}

/** Properties of an endpoint that a video wire needs to encode requests. */
export interface VideoTarget {
  upstreamModel: string;
  quirks: Record<string, unknown>;
}

export interface VideoHttpRequest {
  method: 'GET' | 'POST';
  /** Path to append to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  /** JSON of the request; undefined with GET. */
  body: string | undefined;
  /**
   * Whether to use a new connection. After a reset, a request on a reused connection may be sent again, but not a
   * request on a new connection.
   */
  isFresh?: boolean;
}

/** A complete response of the provider. Its size is bounded. */
export interface VideoHttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Result of a submission. `refused`: the request is at fault, so no other endpoint is tried. `failed`: the provider, or
 * the operator's account there (`fault`), is at fault, and the job was not accepted. `uncertain`: the provider may have
 * accepted the job.
 */
export type Submitted =
  | { jobId: string }
  | { refused: string }
  | { failed: string; fault?: 'operator' | 'catalog' }
  | { uncertain: string };

export type Polled =
  | { state: 'working'; retryAfterSeconds?: number | undefined }
  /**
   * Files of the video. A `path` is at the provider, and its request needs the credential. A `url` may be on any host,
   * and its request must not have the credential.
   */
  | { state: 'completed'; files: ({ url: string } | { path: string })[] }
  | { state: 'failed'; message: string }
  | { state: 'cancelled' }
  /** The response does not contain the job's state, so the job is polled again later. */
  | { state: 'unknown'; reason: string };

/** A part of a request that the provider does not support. The client gets it in an error with status 400. */
export interface VideoObjection {
  field: string;
  message: string;
}

export interface VideoWire {
  /**
   * Whether the provider recognizes a repeated submission by its token. Only then may a job be submitted again after an
   * uncertain result.
   */
  hasSubmissionTokens?: true;
  /**
   * Returns the first part of a request that the provider does not support; undefined if it supports the whole request.
   * Called before the gateway accepts a job.
   */
  objectionTo?(request: VideoRequest, target: VideoTarget): VideoObjection | undefined;
  /**
   * Encodes the submission of a job.
   * @param job.clientToken token of the job, the same for every attempt, so that the provider can detect repetitions
   */
  submit(
    request: VideoRequest,
    target: VideoTarget,
    job: { clientToken: string; webhookUrl: string | undefined },
  ): VideoHttpRequest;
  readSubmitted(answer: VideoHttpAnswer): Submitted;
  poll(jobId: string, target: VideoTarget): VideoHttpRequest;
  readPolled(answer: VideoHttpAnswer): Polled;
  /**
   * Reads a response that contains the file's URL as JSON, instead of the file itself. The request for this URL needs
   * no credential.
   */
  readFileAddress?(answer: VideoHttpAnswer): string | undefined;
}
