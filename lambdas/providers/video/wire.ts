/**
 * An API format of providers that make videos. A job is submitted and polled until it ends, and then its files are
 * fetched. A wire only encodes requests and reads responses. It does not decide who sends them, when, or how often.
 */

/** A video request of a client, checked against the model's options. */
export interface VideoRequest {
  prompt: string | undefined;
  durationSeconds: number;
  resolution: string;
  aspectRatio: string;
  /** Images at the beginning or the end of the video. The gateway has already fetched images that were given by URL. */
  frames: { frame: 'first_frame' | 'last_frame'; mediaType: string; base64: string }[];
  seed: number | undefined;
  withAudio: boolean | undefined;
}

/** The endpoint's properties that a wire needs. */
export interface VideoTarget {
  upstreamModel: string;
  quirks: Record<string, unknown>;
}

export interface VideoHttpRequest {
  method: 'GET' | 'POST';
  /** Appended to the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  /** JSON; undefined with GET. */
  body: string | undefined;
  /** Uses a new connection, so that the request is sent at most once. */
  isFresh?: boolean;
}

/** A complete response of the provider, of bounded size. */
export interface VideoHttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * `refused`: the request is at fault, and no other endpoint would accept it. `failed`: the provider, or the operator's
 * account there (`fault`), is at fault, and the job was not accepted. `uncertain`: the job may have been accepted.
 */
export type Submitted =
  | { jobId: string }
  | { refused: string }
  | { failed: string; fault?: 'operator' | 'catalog' }
  | { uncertain: string };

export type Polled =
  | { state: 'working'; retryAfterSeconds?: number | undefined }
  /** A `path` is on the provider itself and needs its credential. A `url` may be anywhere, and gets no credential. */
  | { state: 'completed'; files: ({ url: string } | { path: string })[] }
  | { state: 'failed'; message: string }
  | { state: 'cancelled' }
  /** The response does not contain the state; it is polled again later. */
  | { state: 'unknown'; reason: string };

/** A part of a request that the provider does not support, for an error with status 400. */
export interface VideoObjection {
  field: string;
  message: string;
}

export interface VideoWire {
  /**
   * The provider recognizes a repeated job by its token. Only then may a job be submitted again if it may have been
   * received.
   */
  knowsTokens?: true;
  /** Called before a job is accepted; undefined if the provider supports the whole request. */
  objectionTo?(request: VideoRequest, target: VideoTarget): VideoObjection | undefined;
  /** @param clientToken the same for every attempt at one job, so that the provider can detect repetitions */
  submit(
    request: VideoRequest,
    target: VideoTarget,
    job: { clientToken: string; webhookUrl: string | undefined },
  ): VideoHttpRequest;
  readSubmitted(answer: VideoHttpAnswer): Submitted;
  poll(jobId: string, target: VideoTarget): VideoHttpRequest;
  readPolled(answer: VideoHttpAnswer): Polled;
  /** The URL of a file, if a `path` returns JSON instead of the file. The URL needs no credential. */
  readFileAddress?(answer: VideoHttpAnswer): string | undefined;
}
