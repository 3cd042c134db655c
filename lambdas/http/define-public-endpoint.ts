import { endpointsWith, type PublicRoute } from './endpoint.ts';

/** Creates the handler of a route that requires no key. */
export const definePublicEndpoint = endpointsWith<PublicRoute>(undefined);
