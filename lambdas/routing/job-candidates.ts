import type { Catalog } from '../catalog/catalog.ts';
import type { Modality } from '../catalog/modality.ts';
import { hasPrice } from '../catalog/default-route.ts';
import type { JobTarget, JobWire } from '../providers/job-wire.ts';
import { jobWire, type ProviderJobRequest } from '../providers/job-wires.ts';
import {
  usableEndpoints,
  withCredential,
  type RequestedIn,
  type RoutingInput,
  type UsableEndpoint,
} from './usable-endpoints.ts';

/** An endpoint that can currently make answers in jobs. */
export interface JobCandidate extends UsableEndpoint {
  wire: JobWire<ProviderJobRequest>;
  target: JobTarget;
}

/** Returns the endpoints that can answer with the model of a request; see `usableEndpoints`. */
export function jobCandidates(requested: RequestedIn, input: RoutingInput, makes: Modality): Promise<JobCandidate[]> {
  return usableEndpoints(requested, input, { makes, toCandidate: toJobCandidate });
}

/**
 * Returns a candidate by the ids of its model and endpoint; undefined if it no longer exists or can no longer be
 * called.
 */
export async function jobCandidate(
  catalog: Catalog,
  modelId: string,
  endpointId: string,
): Promise<JobCandidate | undefined> {
  const model = catalog.find(modelId);
  const endpoint = model?.endpoints.find(({ id }) => id === endpointId);
  if (!model || !endpoint || !hasPrice(endpoint)) return undefined;
  const usable = await withCredential(model, endpoint, false);
  return usable && toJobCandidate(usable);
}

function toJobCandidate(usable: UsableEndpoint): JobCandidate | undefined {
  const { wire: name, upstreamModel, quirks } = usable.endpoint;
  const wire = jobWire(name);
  return wire && { ...usable, wire, target: { upstreamModel, quirks } };
}
