/** Decodes the percent-encoding of a text. A text with invalid encoding stays unchanged. */
export function percentDecoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
