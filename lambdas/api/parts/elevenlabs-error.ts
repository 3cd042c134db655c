import type { GatewayError } from '../../platform/errors.ts';

/** Returns the members of an error's body that clients of ElevenLabs' API read. */
export function elevenlabsErrorMembers({ kind, message, metadata }: GatewayError): object {
  return { detail: { status: kind, message, param: metadata['field'] } };
}
