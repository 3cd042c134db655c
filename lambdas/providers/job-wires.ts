import type { Wire, WireOf } from '../catalog/wires.ts';
import { googleVeoWire } from './video/google-veo.ts';
import { minimaxVideoWire } from './video/minimax-video.ts';
import { runwayTasksWire } from './video/runway-tasks.ts';
import { videoJobsWire } from './video/video-jobs.ts';
import type { JobWire } from './job-wire.ts';
import type { VideoRequest, VideoWire } from './video/wire.ts';

const jobCodecs: Record<WireOf<'video'>, VideoWire> = {
  'video-jobs': videoJobsWire,
  'google-veo': googleVeoWire,
  'minimax-video': minimaxVideoWire,
  'runway-tasks': runwayTasksWire,
};

/** Request that a job keeps until a provider has accepted it. */
export type ProviderJobRequest = VideoRequest;

/** Returns the codec of a wire of videos; undefined for other wires. */
export function jobWire(wire: Wire): JobWire<ProviderJobRequest> | undefined {
  return Object.hasOwn(jobCodecs, wire) ? jobCodecs[wire as WireOf<'video'>] : undefined;
}
