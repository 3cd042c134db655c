import type { UrlFault } from './public-url.ts';

export type FetchFault =
  | UrlFault
  | 'redirects'
  | 'status'
  | 'media_type'
  | 'too_large'
  | 'timeout'
  | 'cancelled'
  | 'unreachable'
  | 'broken';

/**
 * Messages for the person who gave the URL. They follow the name of the request field. No message contains a part of
 * the fetched content.
 */
export const fetchFaultTexts: Record<FetchFault, string> = {
  not_a_url: 'is not a URL that can be fetched',
  not_https: 'must be an https URL',
  userinfo: 'must not have a user name or password',
  port: 'must be on the usual port of https',
  unresolved: 'names a host that could not be found',
  not_public: 'must be on the public internet',
  redirects: 'has too many redirects, or a redirect without a target',
  status: 'could not be fetched: its server did not answer with status 200',
  media_type: 'is of a media type that is not accepted here',
  too_large: 'is too large',
  timeout: 'could not be fetched in time',
  cancelled: 'was not fetched, because the request was cancelled',
  unreachable: 'could not be reached',
  broken: 'could not be read: the connection was interrupted',
};

export class FetchError extends Error {
  override name = 'FetchError';
  readonly reason: FetchFault;

  constructor(reason: FetchFault) {
    super(`Not fetched: it ${fetchFaultTexts[reason]}`);
    this.reason = reason;
  }
}
