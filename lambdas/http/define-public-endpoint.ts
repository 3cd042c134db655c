import { endpointsWith, type PublicRoute } from './endpoint.ts';

/** Makes the handler of a route without a key. */
export const definePublicEndpoint = endpointsWith<PublicRoute>(undefined);
