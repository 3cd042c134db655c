import type { ErrorKind } from '../../lambdas/platform/errors.ts';

interface ErrorGuide {
  cause: string;
  cure: string;
}

/** Cause of each kind of error, and how to fix it. */
export const errorGuides: Record<ErrorKind, ErrorGuide> = {
  invalid_request: {
    cause: 'A field of the request is missing, unknown or has a value that is not allowed.',
    cure: 'Correct the field that `metadata.field` names; the message lists the values that are allowed.',
  },
  context_length_exceeded: {
    cause: 'The prompt has more tokens than the context of the model.',
    cure: 'Shorten the conversation, choose a model with a longer context, or add the plugin `context-compression`.',
  },
  authentication: {
    cause: 'The request has no key, or the key is unknown, disabled, expired or deleted.',
    cure: 'Send a valid key as `Authorization: Bearer <key>` or `x-api-key: <key>`; with a management key, `POST /keys` makes inference keys. The operator makes the first management key.',
  },
  payment_required: {
    cause:
      'A limit, a budget or the balance has no room for the money that has to be held (set aside) before the request is sent. Nothing was sent to a provider.',
    cure: 'Read in `metadata` which limit it is and how much remains; then lower `max_tokens`, raise the limit, or wait until `resets_at`.',
  },
  permission_denied: {
    cause:
      'The route takes the other kind of key; the key may not call this model, be used from this network, or send a request without a required tag; or a provider does not allow this use of its model.',
    cure: 'Read in `metadata` which limit of the key it is, if it is one. Use the kind of key that the route names: inference keys (`sk-mg-v1-…`) for models and records of requests, management keys (`mk-mg-v1-…`) for settings. Where a provider refuses, choose another model.',
  },
  not_found: {
    cause: 'The resource does not exist, or it belongs to another account.',
    cure: 'Check the id or the name. If a name is nearly right, the message suggests the existing one.',
  },
  conflict: {
    cause:
      'The change conflicts with the present state, such as a name that is already taken. Or the `Idempotency-Key` was used before: for a request that is being answered or was charged, or for another body.',
    cure: 'Read the resource, and decide whether you still want the change. A request with a new `Idempotency-Key` is a new request, and is charged.',
  },
  gone: {
    cause: 'The resource was there and has been deleted since.',
    cure: 'Stop asking for it; files of videos are kept for seven days.',
  },
  precondition_failed: {
    cause: 'Somebody has changed the resource since its `ETag` was read.',
    cure: 'Read it again, apply the change to the current version, and send the new `ETag` in `If-Match`.',
  },
  payload_too_large: {
    cause:
      'The request is larger than 6 MB, where each double quote of the body counts as two bytes; that is about 5 MB of text.',
    cure: 'Send less, or name images and documents by their addresses instead of sending their bytes.',
  },
  unsupported_media_type: {
    cause: 'The body of the request is not declared as JSON, is not UTF-8, or has an unknown compression.',
    cure: 'Send JSON in UTF-8, with the header `content-type: application/json`.',
  },
  rate_limit_exceeded: {
    cause:
      'There were too many requests, the key has reached its `rpm_limit`, `tpm_limit` or `parallel_limit`, or the quota of a free model is used up for now.',
    cure: 'Wait as long as `Retry-After` says; for free models, `x-ratelimit-reset` says when there are more.',
  },
  server: {
    cause: 'The gateway failed with an internal error.',
    cure: 'Try again. If it persists, send the `request_id` to the operator.',
  },
  provider_unavailable: {
    cause:
      'Every provider of the model has failed or could not be reached. A failed request without output costs nothing.',
    cure: 'Try again, or name other models in `models`: the gateway tries them when the first model fails.',
  },
  timeout: {
    cause: 'The provider was silent for too long, or the answer took longer than the gateway may run.',
    cure: 'Request a shorter answer, or try again. If the answer has the header `x-should-retry: false`, check first: the first try may have been charged, and `GET /generation` shows its cost.',
  },
  provider_overloaded: {
    cause: 'The provider or the gateway is overloaded for the moment.',
    cure: 'Wait as long as `Retry-After` says, one second if it is absent, and try again.',
  },
};

export function errorText(kind: ErrorKind): string {
  const { cause, cure } = errorGuides[kind];
  return `${cause} ${cure}`;
}
