import type { ImageOptions } from '../../catalog/image-options.ts';
import type { ImagesQuirks } from '../../catalog/images-quirks.ts';
import type { BatchReader, FollowUps, OpenedResponse, StreamedAnswer, StreamPart } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

export interface ImageFile {
  mediaType: string;
  base64: string;
}

/** Settings of an image, under the names of the client's fields. */
export interface ImageSettings {
  /** A size in pixels such as `1024x1024`. In a task, also a tier such as `2K`. */
  size?: string | undefined;
  /** Aspect ratio. At an endpoint that has ratios, it replaces `size`. */
  aspect_ratio?: string | undefined;
  resolution?: string | undefined;
  quality?: string | undefined;
  output_format?: string | undefined;
  background?: string | undefined;
  /** Compression of the file in percent. */
  output_compression?: number | undefined;
  seed?: number | undefined;
  moderation?: string | undefined;
  input_fidelity?: string | undefined;
}

export interface ImageTask extends ImageSettings {
  prompt: string;
  count: number;
  pictures: readonly ImageFile[];
  mask?: ImageFile | undefined;
  /** Number of partial images before the finished one, in a streamed answer; undefined for a whole answer. */
  partialImages?: number | undefined;
  /** Whether endpoints that do not support every field of the request are excluded. */
  requiresParameters?: boolean;
}

/**
 * The part of a task that one request covers. Its member `partialImages` is undefined if the provider sends only the
 * finished images.
 */
export type Drawing = ImageTask;

/** An image of a streamed answer, partial or finished. */
export interface ImageEvent {
  file: ImageFile;
  /** Position of a partial image, from 0; undefined for the finished image. */
  partialIndex?: number | undefined;
}

/** The finished images or, if the client requested a stream, the parts of a streamed answer. */
export type ImagesAnswer = ImageFile[] | StreamedAnswer<ImageEvent>;

export type ImageTarget = WireTarget<ImagesQuirks> & { image: ImageOptions };

/** An image in a provider's answer: its content, or the URL of its file. */
export type DrawnImage = { base64: string } | { url: string };

export interface DrawnEvent {
  image: DrawnImage;
  isPartial: boolean;
}

export interface ImageCodec extends BatchReader {
  /**
   * Encodes a request for images.
   * @throws {GatewayError} 400 for images that the provider's API cannot express
   */
  requestFor(drawing: Drawing, target: ImageTarget): WireRequest;
  /**
   * Returns the images of an answer, after polling a job if necessary; may be empty.
   * @throws {UpstreamError} for a refusal or an unreadable answer
   */
  imagesIn(body: unknown, target: ImageTarget, followUps: FollowUps): DrawnImage[] | Promise<DrawnImage[]>;
  /**
   * Yields partial images, and finally the finished image with its usage. Absent if the API sends no partial images.
   */
  decode?(response: OpenedResponse, maxEventBytes: number): AsyncGenerator<StreamPart<DrawnEvent>, void>;
}
