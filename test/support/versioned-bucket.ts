import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { objectionToSignature } from '../../lib/local/signed-requests.ts';
import { listen, type Listening } from './listen.ts';

interface Version {
  id: string;
  etag: string;
  body: string;
}

/** Bucket with versions and conditional writes, for which S3's documentation is the model. Rejects unsigned requests. */
export interface VersionedBucket extends Listening {
  /** Versions, latest first. */
  versions: Version[];
  /** Response during an outage, which ends after `requests` if that is set. */
  outage: { status: number; requests?: number } | undefined;
  requests: number;
}

export async function startVersionedBucket(): Promise<VersionedBucket> {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  });
  const bucket: VersionedBucket = { ...(await listen(server)), versions: [], outage: undefined, requests: 0 };

  function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    bucket.requests += 1;
    const { method = '', url = '', headers } = request;
    const objection = objectionToSignature({ method, url, headers }, localCredentials, Date.now());
    if (bucket.outage) {
      const { status, requests = Infinity } = bucket.outage;
      bucket.outage = requests > 1 ? { status, requests: requests - 1 } : undefined;
      return void response.writeHead(status).end('<Error><Code>InternalError</Code></Error>');
    }
    if (objection) return void response.writeHead(403).end(objection);
    const query = new URL(url, bucket.url).searchParams;
    if (method === 'PUT') return put(headers, response, body);
    if (query.has('versions')) return list(response, Number(query.get('max-keys') ?? 1_000));
    return get(query.get('versionId'), headers, response);
  }

  function put(headers: IncomingMessage['headers'], response: ServerResponse, body: string): void {
    const [latest] = bucket.versions;
    const isOvertaken =
      (headers['if-none-match'] === '*' && latest !== undefined) ||
      (headers['if-match'] !== undefined && headers['if-match'] !== latest?.etag);
    if (isOvertaken) return void response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    bucket.versions.unshift({ id: `v${bucket.versions.length + 1}`, etag, body });
    response.writeHead(200, { etag }).end();
  }

  function get(versionId: string | null, headers: IncomingMessage['headers'], response: ServerResponse): void {
    const version = versionId === null ? bucket.versions[0] : bucket.versions.find(({ id }) => id === versionId);
    if (!version) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    const { etag, id, body } = version;
    if (headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { etag, 'x-amz-version-id': id, 'content-length': Buffer.byteLength(body) }).end(body);
  }

  function list(response: ServerResponse, limit: number): void {
    const rows = bucket.versions
      .slice(0, limit)
      .map(
        ({ id, etag }) =>
          `<Version><Key>catalog/current.jsonl</Key><VersionId>${id}</VersionId><ETag>${etag}</ETag></Version>`,
      );
    response.writeHead(200).end(`<ListVersionsResult>${rows.join('')}</ListVersionsResult>`);
  }

  return bucket;
}
