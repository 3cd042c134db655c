/** Decodes percent-encoding. A text with invalid encoding stays unchanged. */
export function percentDecoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
