import type { RecordingFormat } from '../../catalog/quirk-values.ts';

interface FormatFacts {
  mediaType: string;
  extension: string;
}

const facts: Record<RecordingFormat, FormatFacts> = {
  wav: { mediaType: 'audio/wav', extension: 'wav' },
  mp3: { mediaType: 'audio/mpeg', extension: 'mp3' },
  flac: { mediaType: 'audio/flac', extension: 'flac' },
  m4a: { mediaType: 'audio/mp4', extension: 'm4a' },
  ogg: { mediaType: 'audio/ogg', extension: 'ogg' },
  webm: { mediaType: 'audio/webm', extension: 'webm' },
  aac: { mediaType: 'audio/aac', extension: 'aac' },
};

export function recordingMediaType(format: RecordingFormat): string {
  return facts[format].mediaType;
}

/** Returns the file extension, by which some providers recognize a format. */
export function fileExtensionOf(format: RecordingFormat): string {
  return facts[format].extension;
}
