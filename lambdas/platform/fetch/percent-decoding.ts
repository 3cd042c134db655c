/** A text with its percent-encoding decoded. Invalid encoding stays unchanged. */
export function percentDecoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
