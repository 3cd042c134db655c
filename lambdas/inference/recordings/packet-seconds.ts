/** The imported library that reads the containers is large, so load this file only when needed. */

import { BufferSource, FLAC, Input, MP4, OGG, QTFF, WEBM } from 'mediabunny';

const MAX_READ_MS = 5_000;

/** Time in seconds at which the last packet ends; undefined for a file that cannot be read within 5 s. */
export async function packetSeconds(bytes: Buffer): Promise<number | undefined> {
  const input = new Input({
    source: new BufferSource(bytes),
    formats: [FLAC, OGG, MP4, QTFF, WEBM],
  });
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), MAX_READ_MS);
  try {
    const length = await Promise.race([input.computeDuration(), late]);
    return length !== undefined && Number.isFinite(length) ? length : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    input.dispose();
  }
}
