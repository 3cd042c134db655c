import { checkNetwork } from '../admission/allowed-networks.ts';
import { authenticate } from '../admission/authenticate.ts';
import { asInferenceCaller, checkCredential, type Caller, type InferenceCaller } from '../admission/caller.ts';
import { secretFrom } from '../admission/credentials.ts';
import { rateHeadersOf } from '../admission/rates/rate-headers.ts';
import { withTags } from '../admission/tagged-caller.ts';
import { tagsOfRequest, takeTagsField } from '../admission/tags/tags-of-request.ts';
import { resources } from '../resources.ts';
import { recordedId } from '../store/generations/generation-key.ts';
import type { Credential } from '../route.ts';
import { endpointsWith, type KeyedRoute } from './endpoint.ts';
import type { HttpRequest } from './request.ts';

async function identify(
  { headers, clientAddress }: HttpRequest,
  credential: Exclude<Credential, 'none'>,
): Promise<Caller> {
  const caller = await authenticate(resources.table(), secretFrom(headers));
  checkCredential(caller, credential);
  checkNetwork(caller, clientAddress);
  return credential === 'inference' ? asInferenceCaller(caller) : caller;
}

/** Creates the handler of a route that requires a key. */
export const defineEndpoint = endpointsWith<KeyedRoute>({
  identify,
  recordedId: ({ account }, id) => recordedId(account, id),
  withTagsOf: (caller, { headers }, body, { hasTags }) => {
    const field = takeTagsField(body);
    return hasTags ? withTags(caller as InferenceCaller, tagsOfRequest(caller, headers, { body, field })) : caller;
  },
  limitHeaders: (caller, route, atMs) =>
    rateHeadersOf(caller, route === 'create-message' ? 'messages' : 'openai', atMs),
  noteRefusal: async (refusal) => resources.refusals().note(refusal),
});
