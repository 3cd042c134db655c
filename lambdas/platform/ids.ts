import { randomBytes, randomUUID } from 'node:crypto';
import { nowMs } from './clock.ts';

/**
 * Returns a UUID of version 7 (RFC 9562 §5.7) with the time of the gateway's clock, which a local gateway may shift.
 */
export function uuidv7(timeMs: number = nowMs()): string {
  const time = timeMs.toString(16).padStart(12, '0');
  // A UUID of version 4 has random digits after the version, and the right variant. Node creates it fast.
  const random = randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Returns the epoch milliseconds of a UUID of version 7. */
export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

const GENERATION_ID = /^gen-([0-9a-f]{8})-([0-9a-f]{4})-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns a new id of an inference request. */
export function newGenerationId(): string {
  return `gen-${uuidv7()}`;
}

const REQUEST_ID = /^req_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/;

/**
 * Returns the generation id that belongs to the request id of an inference request: both have the same digits, except
 * that a spread id has another version (`spreadId`). Undefined if the text is not a request id.
 */
export function generationIdOf(requestId: string): string | undefined {
  const [, ...digits] = REQUEST_ID.exec(requestId) ?? [];
  return digits.length === 0 ? undefined : `gen-${digits.join('-')}`;
}

const VERSION_PLACE = 'gen-00000000-0000-'.length;

/**
 * Returns the id with the UUID version 8 (RFC 9562 §5.8). It marks requests of an account whose records are spread over
 * several partitions per day.
 * Ids of both versions together sort by time.
 */
export function spreadId(id: string): string {
  return `${id.slice(0, VERSION_PLACE)}8${id.slice(VERSION_PLACE + 1)}`;
}

export function isSpreadId(id: string): boolean {
  return id[VERSION_PLACE] === '8';
}

/**
 * Returns the epoch milliseconds at which the request of a generation arrived; undefined if the text is not a
 * generation id.
 */
export function generationTimeMs(id: string): number | undefined {
  const match = GENERATION_ID.exec(id);
  return match ? Number.parseInt(match[1]! + match[2]!, 16) : undefined;
}

/** Returns the lowest possible generation id of a moment. */
export function firstGenerationId(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0');
  return `gen-${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Returns a new id for any request. */
export function newRequestId(): string {
  return `req_${uuidv7().replaceAll('-', '')}`;
}

/** Returns 256 random bits in hexadecimal digits: the secret part of a key. */
export function newSecretBits(): string {
  return randomBytes(32).toString('hex');
}
