import { createHash } from 'node:crypto';

/** A file in a form (multipart/form-data). */
export class FormFile {
  readonly bytes: Buffer;
  /** File name without folders. */
  readonly name: string;
  /** Media type as the client wrote it, for example `audio/wav`. */
  readonly mediaType: string;

  constructor(bytes: Buffer, name: string, mediaType: string) {
    this.bytes = bytes;
    this.name = name;
    this.mediaType = mediaType;
  }

  /**
   * Returns the file's entry in the JSON of its form, with a hash in place of the content, by which repeated requests
   * are recognized.
   */
  toJSON(): object {
    return { name: this.name, type: this.mediaType, sha256: createHash('sha256').update(this.bytes).digest('hex') };
  }
}
