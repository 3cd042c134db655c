import type { Catalog } from '../catalog/catalog.ts';
import { hasPrice } from '../catalog/default-route.ts';
import type { VideoTarget, VideoWire } from '../providers/video/wire.ts';
import { videoWire } from '../providers/video/wires.ts';
import {
  usableEndpoints,
  withCredential,
  type RequestedIn,
  type RoutingInput,
  type UsableEndpoint,
} from './usable-endpoints.ts';

/** An endpoint that can currently generate videos. */
export interface VideoCandidate extends UsableEndpoint {
  wire: VideoWire;
  target: VideoTarget;
}

/** Returns the endpoints that can generate a video with the model of a request; see `usableEndpoints`. */
export function videoCandidates(requested: RequestedIn, input: RoutingInput): Promise<VideoCandidate[]> {
  return usableEndpoints(requested, input, { makes: 'video', toCandidate: toVideoCandidate });
}

/**
 * Returns a candidate by the ids of its model and endpoint; undefined if it no longer exists or can no longer be
 * called.
 */
export async function videoCandidate(
  catalog: Catalog,
  modelId: string,
  endpointId: string,
): Promise<VideoCandidate | undefined> {
  const model = catalog.find(modelId);
  const endpoint = model?.endpoints.find(({ id }) => id === endpointId);
  if (!model || !endpoint || !hasPrice(endpoint)) return undefined;
  const usable = await withCredential(model, endpoint, false);
  return usable && toVideoCandidate(usable);
}

function toVideoCandidate(usable: UsableEndpoint): VideoCandidate | undefined {
  const { wire: name, upstreamModel, quirks } = usable.endpoint;
  const wire = videoWire(name);
  return wire && { ...usable, wire, target: { upstreamModel, quirks } };
}
