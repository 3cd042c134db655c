import { createHash } from 'node:crypto';

/** A file in a form (multipart/form-data). */
export class FormFile {
  readonly bytes: Buffer;
  /** File name without folders, as the client wrote it. */
  readonly name: string;
  /** Media type as the client wrote it, such as `audio/wav`. */
  readonly mediaType: string;

  constructor(bytes: Buffer, name: string, mediaType: string) {
    this.bytes = bytes;
    this.name = name;
    this.mediaType = mediaType;
  }

  /**
   * Returns the file's entry in the JSON of its form, with a hash in place of the content. Repeated requests are
   * recognized by this JSON.
   */
  toJSON(): object {
    return { name: this.name, type: this.mediaType, sha256: createHash('sha256').update(this.bytes).digest('hex') };
  }
}
