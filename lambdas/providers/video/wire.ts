/**
 * One format in which providers make videos: a job is submitted, asked for until it is over, and its files are fetched. A
 * wire only writes requests and reads answers; who sends them, when, and how often, is no matter of a wire.
 */

/** A video as a client asks for it, checked against what its model makes. */
export interface VideoRequest {
  prompt: string | undefined;
  durationSeconds: number;
  resolution: string;
  aspectRatio: string;
  /** Pictures that the video begins or ends with, as data URLs: the gateway has fetched what was given by an address. */
  frames: { frame: 'first_frame' | 'last_frame'; mediaType: string; base64: string }[];
  seed: number | undefined;
  withAudio: boolean | undefined;
}

/** What a wire needs to know of the endpoint. */
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
  /** Goes over a connection of its own, so that it is sent once at most. */
  isFresh?: boolean;
}

/** An answer of the provider, whole and bounded. */
export interface VideoHttpAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * `refused`: the request is at fault, and nobody else would take it; `failed`: the provider is, or the operator's account there (`fault`), and
 * it has not accepted the job; `uncertain`: it may have.
 */
export type Submitted =
  | { jobId: string }
  | { refused: string }
  | { failed: string; fault?: 'operator' | 'catalog' }
  | { uncertain: string };

export type Polled =
  | { state: 'working'; retryAfterSeconds?: number | undefined }
  /** `path`s are on the provider itself and need its credential, `url`s are anywhere and get none. */
  | { state: 'completed'; files: ({ url: string } | { path: string })[] }
  | { state: 'failed'; message: string }
  | { state: 'cancelled' }
  /** The provider does not say how it stands: asked again later. */
  | { state: 'unknown'; reason: string };

/** What of a request cannot be told to the provider, for a refusal with 400. */
export interface VideoObjection {
  field: string;
  message: string;
}

export interface VideoWire {
  /** The provider knows a repeated job by its token: only there may a job be submitted again that may have arrived. */
  knowsTokens?: true;
  /** Asked before a job is accepted; undefined where everything that the client said can be told. */
  objectionTo?(request: VideoRequest, target: VideoTarget): VideoObjection | undefined;
  /** @param clientToken the same for every try at one job, for providers that know one request from its repetition */
  submit(
    request: VideoRequest,
    target: VideoTarget,
    job: { clientToken: string; webhookUrl: string | undefined },
  ): VideoHttpRequest;
  readSubmitted(answer: VideoHttpAnswer): Submitted;
  poll(jobId: string, target: VideoTarget): VideoHttpRequest;
  readPolled(answer: VideoHttpAnswer): Polled;
  /** Where a `path` answers with JSON in the place of a file: the file's address, which needs no credential. */
  readFileAddress?(answer: VideoHttpAnswer): string | undefined;
}
