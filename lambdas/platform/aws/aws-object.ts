/**
 * Reads one object of an S3 bucket repeatedly while the gateway serves requests. Each read is a signed GET. If it has
 * the tag of the known content, S3 sends the object only if its content has changed.
 */

import { AwsError } from './aws-call.ts';
import { bucketAt, callBucket, type BucketPlace } from './aws-bucket.ts';

export interface ObjectPlace extends BucketPlace {
  key: string;
}

export interface ReadObject {
  text: string;
  /** Tag of the content. It changes whenever the content changes. */
  etag: string;
}

/**
 * @returns a function that reads the object. It returns `unchanged` if the object still has the known tag, and
 *   `missing` if it or its bucket does not exist.
 * @throws {AwsError | NoReplyError} if S3 rejects the request, or does not respond
 */
export function openObject({
  key,
  ...place
}: ObjectPlace): (knownEtag?: string) => Promise<ReadObject | 'unchanged' | 'missing'> {
  const bucket = bucketAt(place);
  return async (knownEtag) => {
    try {
      const known = knownEtag ? { 'if-none-match': knownEtag } : {};
      const { status, body, headers } = await callBucket(bucket, { method: 'GET', key, headers: known });
      return status === 304 ? 'unchanged' : { text: String(body), etag: headers.etag ?? '' };
    } catch (error) {
      if (error instanceof AwsError && error.status === 404) return 'missing';
      throw error;
    }
  };
}
