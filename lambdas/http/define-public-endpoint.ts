import { endpointsWith, type PublicRoute } from './endpoint.ts';

/** Makes the handler of a route that takes no key. */
export const definePublicEndpoint = endpointsWith<PublicRoute>(undefined);
