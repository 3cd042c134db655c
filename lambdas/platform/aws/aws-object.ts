import { AwsError } from './aws-call.ts';
import { bucketAt, callBucket, type BucketPlace } from './aws-bucket.ts';

export interface ObjectPlace extends BucketPlace {
  key: string;
}

export interface ReadObject {
  text: string;
  etag: string;
}

/**
 * Returns a function that reads an object. It returns `unchanged` if the object still has the known tag, and `missing`
 * if it or its bucket does not exist.
 * @throws {AwsError | NoReplyError} from the returned function, if S3 rejects the request or does not respond
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
