import { randomBytes, randomUUID } from 'node:crypto';
import { nowMs } from './clock.ts';

/**
 * UUID version 7 (RFC 9562 §5.7) of the platform clock's time. Node's own randomUUIDv7() reads the system clock, which
 * would put ids of a gateway started at another date into the wrong day.
 */
export function uuidv7(timeMs: number = nowMs()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(timeMs, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const GENERATION_ID = /^gen-([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The id of one inference request: the response's id, and the argument of GET /generation. */
export function newGenerationId(): string {
  return `gen-${uuidv7()}`;
}

/** Epoch milliseconds at which a generation was admitted, or undefined when the text is not a generation id. */
export function generationTimeMs(id: string): number | undefined {
  const match = GENERATION_ID.exec(id);
  return match ? Number.parseInt(match[1]! + match[2]!, 16) : undefined;
}

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

/** 256 random bits, in hex: the part of a key that nobody can guess. */
export function newSecretBits(): string {
  return randomBytes(32).toString('hex');
}
