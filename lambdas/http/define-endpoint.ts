import { authenticate } from '../admission/authenticate.ts';
import { asInferenceCaller, checkCredential } from '../admission/caller.ts';
import { secretFrom } from '../admission/credentials.ts';
import { resources } from '../resources.ts';
import { endpointsWith, type Identify, type KeyedRoute } from './endpoint.ts';

const identify: Identify = async ({ headers }, credential) => {
  const caller = await authenticate(resources.table(), secretFrom(headers));
  checkCredential(caller, credential);
  return credential === 'inference' ? asInferenceCaller(caller) : caller;
};

/** Makes the handler of a route that takes a key. */
export const defineEndpoint = endpointsWith<KeyedRoute>(identify);
