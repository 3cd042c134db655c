/** Patterns of an image's first bytes, in hexadecimal. */
const signatures: readonly { mediaType: string; starts: RegExp }[] = [
  { mediaType: 'image/png', starts: /^89504e470d0a1a0a/ },
  { mediaType: 'image/jpeg', starts: /^ffd8ff/ },
  // A WebP file begins with RIFF, the length of the file, and WEBP.
  { mediaType: 'image/webp', starts: /^52494646.{8}57454250/ },
];

/** Number of base64 characters for the first 18 bytes. */
const SNIFFED_CHARACTERS = 24;

/** Returns the media type of an image; undefined if it is not one of the formats above. */
export function sniffedImageType(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, SNIFFED_CHARACTERS), 'base64').toString('hex');
  return signatures.find(({ starts }) => starts.test(head))?.mediaType;
}
