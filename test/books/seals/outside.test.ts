/** The services that sealing uses: AWS KMS, S3 with a lock, and an authority for timestamps. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSignedBy, signerInKms } from '../../../lambdas/platform/secrets/document-signer.ts';
import { filesInBucket, filesInDirectory, type KeptFiles } from '../../../lambdas/platform/immutable-files.ts';
import { openAwsJson } from '../../../lambdas/platform/aws/aws-json.ts';
import { isTimestampOf, requestTimestamp } from '../../../lambdas/platform/secrets/timestamps.ts';
import { listen, type Listening } from '../../support/listen.ts';

let directory: string;
const servers: Listening[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-outside-'));
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function answering(answer: RequestListener): Promise<string> {
  const server = await listen(http.createServer(answer));
  servers.push(server);
  return server.url;
}

const identity = {
  credentials: async () => ({ accessKeyId: 'AKIATEST', secretAccessKey: 'secret' }),
  region: async () => 'eu-central-1',
};

describe('a key in KMS', () => {
  it('signs the digest of a document, and returns its public key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const document = Buffer.from('{"format":"statement"}\n');
    const calls: object[] = [];
    const endpoint = await answering((request, response) => {
      void buffer(request).then((body) => {
        const asked = JSON.parse(body.toString()) as Record<string, string>;
        calls.push({ target: request.headers['x-amz-target'], ...asked });
        // KMS signs the digest: the result is the same as signing the document with SHA-256.
        const answer = asked['Message']
          ? { Signature: sign('sha256', document, privateKey).toString('base64') }
          : { PublicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
        response.end(JSON.stringify(answer));
      });
    });
    const kms = { name: 'kms', target: 'TrentService', version: '1.1', address: { id: 'KMS', host: 'kms' } } as const;
    const call = openAwsJson({ ...kms, origin: endpoint }, { identity });
    const signer = signerInKms('arn:aws:kms:eu-central-1:1:key/a', call);
    const signature = await signer.sign(document);
    const key = await signer.publicKey();

    expect(isSignedBy(key, document, signature)).toBe(true);
    expect(isSignedBy(key, Buffer.from('another'), signature)).toBe(false);
    expect(calls).toEqual([
      {
        target: 'TrentService.Sign',
        KeyId: 'arn:aws:kms:eu-central-1:1:key/a',
        Message: createHash('sha256').update(document).digest('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      },
      { target: 'TrentService.GetPublicKey', KeyId: 'arn:aws:kms:eu-central-1:1:key/a' },
    ]);
  });
});

/**
 * This partial emulator of S3 refuses a file without a correct checksum, and a second file with the same name if the
 * request has `if-none-match: *`.
 */
async function bucketWithLock(): Promise<KeptFiles> {
  const files = new Map<string, Buffer>();
  const endpoint = await answering((request, response) => {
    void buffer(request).then((body) => {
      const name = new URL(request.url!, 'http://s3').pathname;
      const { headers } = request;
      const file = files.get(name);
      if (request.method === 'GET') {
        if (file) return response.end(file);
        return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      }
      const sha256 = createHash('sha256').update(body).digest();
      const isWhole =
        headers['x-amz-checksum-sha256'] === sha256.toString('base64') &&
        headers['x-amz-content-sha256'] === sha256.toString('hex') &&
        headers['content-length'] === String(body.length);
      if (!isWhole) return response.writeHead(400).end('<Error><Code>BadDigest</Code></Error>');
      if (file && headers['if-none-match'] === '*') {
        return response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
      }
      files.set(name, body);
      return response.end();
    });
  });
  return filesInBucket({ bucket: 'books', endpoint, identity });
}

describe.each([
  ['a bucket with a lock', bucketWithLock],
  ['a directory', async () => filesInDirectory(directory)],
])('files in %s', (_, open) => {
  it('can be read after they are written', async () => {
    const files = await open();
    expect(await files.get('sealed/a/statement.json')).toBe(undefined);
    expect(await files.putNew('sealed/a/statement.json', Buffer.from('one'))).toBe(true);
    expect(String(await files.get('sealed/a/statement.json'))).toBe('one');
  });

  it('stay unchanged if another file is written under the same name', async () => {
    const files = await open();
    await files.putNew('sealed/a', Buffer.from('one'));
    expect(await files.putNew('sealed/a', Buffer.from('two'))).toBe(false);
    expect(String(await files.get('sealed/a'))).toBe('one');
  });

  it('may be copies of local files', async () => {
    const files = await open();
    const path = join(directory, 'large');
    const content = Buffer.alloc(3_000_000, 'lines\n');
    writeFileSync(path, content);
    await files.putNew('sealed/lines', { path, bytes: content.length });
    expect((await files.get('sealed/lines'))!.equals(content)).toBe(true);
    expect(await files.putNew('sealed/lines', { path, bytes: content.length })).toBe(false);
  });

  it('have the content of one of several concurrent writes', async () => {
    const files = await open();
    const put = await Promise.all(['one', 'two', 'three'].map((text) => files.putNew('sealed/a', Buffer.from(text))));
    expect(put.filter(Boolean)).toHaveLength(1);
  });
});

const openssl = (command: string) => execFileSync('openssl', command.split(' '), { cwd: directory, stdio: 'pipe' });

async function authority(): Promise<string> {
  writeFileSync(
    join(directory, 'tsa.cnf'),
    `[req]\ndistinguished_name=name\n[name]\n[usage]\nextendedKeyUsage=critical,timeStamping\n[tsa]\ndefault_tsa=here\n[here]\nserial=${directory}/serial\nsigner_cert=${directory}/tsa.pem\nsigner_key=${directory}/tsa.key\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\n`,
  );
  writeFileSync(join(directory, 'serial'), '01\n');
  openssl(
    'req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.pem -days 2 -subj /CN=test -config tsa.cnf -extensions usage',
  );
  return answering((request, response) => {
    void buffer(request).then((body) => {
      writeFileSync(join(directory, 'query.tsq'), body);
      openssl('ts -reply -config tsa.cnf -queryfile query.tsq -out reply.tsr');
      response.setHeader('content-type', 'application/timestamp-reply');
      response.end(readFileSync(join(directory, 'reply.tsr')));
    });
  });
}

describe('a timestamp', () => {
  it('is verified by openssl', async () => {
    const url = await authority();
    const list = Buffer.from(`${'ab'.repeat(32)}\n`);
    writeFileSync(join(directory, 'list.txt'), list);
    const answer = await requestTimestamp(url, createHash('sha256').update(list).digest());
    writeFileSync(join(directory, 'list.txt.tsr'), answer);

    const verified = openssl('ts -verify -data list.txt -in list.txt.tsr -CAfile tsa.pem');
    expect(verified.toString()).toContain('Verification: OK');
  });

  it('is valid for its list, and for no other', async () => {
    const digest = createHash('sha256').update('list').digest();
    const answer = await requestTimestamp(await authority(), digest);
    expect(isTimestampOf(answer, digest)).toBe(true);
    expect(isTimestampOf(answer, createHash('sha256').update('another').digest())).toBe(false);
  });

  it('is refused if it signs another hash', async () => {
    const granted = await requestTimestamp(await authority(), createHash('sha256').update('another').digest());
    const mistaken = await answering((_, response) => response.end(granted));
    const digest = createHash('sha256').update('list').digest();
    await expect(requestTimestamp(mistaken, digest)).rejects.toThrow('signed another hash than requested');
  });

  it('is refused if the authority refuses, fails, or sends an invalid or too long answer', async () => {
    const digest = Buffer.alloc(32);
    // This answer has status 2 and no token.
    const refusing = await answering((_, response) => response.end(Buffer.from('30053003020102', 'hex')));
    const failing = await answering((_, response) => response.writeHead(500).end());
    const nonsense = await answering((_, response) => response.end('<html>'));
    const endless = await answering((_, response) => response.end(Buffer.alloc(200_000)));
    await expect(requestTimestamp(refusing, digest)).rejects.toThrow('refused: 2');
    await expect(requestTimestamp(failing, digest)).rejects.toThrow('answered with 500');
    await expect(requestTimestamp(nonsense, digest)).rejects.toThrow();
    await expect(requestTimestamp(endless, digest)).rejects.toThrow('too long');
  });
});
