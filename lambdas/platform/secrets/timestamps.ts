/**
 * Requests timestamps (RFC 3161). An independent authority signs that it received a hash at a certain time, so the
 * operator of the gateway cannot backdate a timestamp.
 */

import { randomBytes } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { MessageImprint, PKIStatus, TimeStampReq, TimeStampReqVersion, TimeStampResp } from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 8;
const AUTHORITY_TIMEOUT_MS = 15_000;
/** Maximum size of a response, usually less than ten kilobytes. */
const MAX_ANSWER_BYTES = 100_000;

/**
 * Requests a timestamp of a SHA-256 hash from an authority.
 * @returns the authority's response in the DER form that `openssl ts -verify -in` reads
 * @throws {Error} if the authority sends no timestamp for this hash.
 */
export async function requestTimestamp(url: string, sha256: Buffer): Promise<Buffer> {
  const request = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA_256, parameters: null }),
      hashedMessage: new OctetString(sha256),
    }),
    nonce: randomBytes(NONCE_BYTES).buffer,
    certReq: true,
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query' },
    body: AsnConvert.serialize(request),
    signal: AbortSignal.timeout(AUTHORITY_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The timestamp authority answered with ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body!) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('The answer of the timestamp authority is too long');
    chunks.push(chunk);
  }
  const answer = Buffer.concat(chunks);
  const { isGranted, status } = grantOf(answer);
  if (!isGranted) throw new Error(`The timestamp authority refused: ${status}`);
  if (!answer.includes(sha256)) throw new Error('The timestamp authority signed another hash than requested');
  return answer;
}

/**
 * Returns whether an authority's response has a timestamp and contains the SHA-256 hash.
 *
 * Weakness: the signature is not checked. `openssl ts -verify` checks it with the authority's certificate.
 */
export function isTimestampOf(answer: Buffer, sha256: Buffer): boolean {
  try {
    return grantOf(answer).isGranted && answer.includes(sha256);
  } catch {
    return false;
  }
}

/** @throws {Error} for data that is not an authority's response */
function grantOf(answer: Buffer): { isGranted: boolean; status: PKIStatus } {
  const { status, timeStampToken } = AsnConvert.parse(answer, TimeStampResp);
  const isGranted = [PKIStatus.granted, PKIStatus.grantedWithMods].includes(status.status);
  return { isGranted: isGranted && timeStampToken !== undefined, status: status.status };
}
