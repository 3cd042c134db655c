import type { JobWire } from '../job-wire.ts';

/** A client's video request, checked against the model's options. */
export interface VideoRequest {
  prompt: string | undefined;
  durationSeconds: number;
  resolution: string;
  aspectRatio: string;
  /** Images for the first or the last frame, already fetched if the client sent URLs. */
  frames: { frame: 'first_frame' | 'last_frame'; mediaType: string; base64: string }[];
  seed: number | undefined;
  withAudio: boolean | undefined;
}

export type VideoWire = JobWire<VideoRequest>;
