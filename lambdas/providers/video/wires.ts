import type { Wire, WireOf } from '../../catalog/wires.ts';
import { googleVeoWire } from './google-veo.ts';
import { minimaxVideoWire } from './minimax-video.ts';
import { runwayTasksWire } from './runway-tasks.ts';
import { videoJobsWire } from './video-jobs.ts';
import type { VideoWire } from './wire.ts';

const videoCodecs: Record<WireOf<'video'>, VideoWire> = {
  'video-jobs': videoJobsWire,
  'google-veo': googleVeoWire,
  'minimax-video': minimaxVideoWire,
  'runway-tasks': runwayTasksWire,
};

/** Returns the codec of a wire for videos; undefined for other wires. */
export function videoWire(wire: Wire): VideoWire | undefined {
  return Object.hasOwn(videoCodecs, wire) ? videoCodecs[wire as WireOf<'video'>] : undefined;
}
