/** A text with its percent-encoding undone; what is no such encoding stays as it is. */
export function percentDecoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
