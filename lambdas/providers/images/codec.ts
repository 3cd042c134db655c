/** Draws images: a prompt and pictures become requests to a provider, and its answers become files. */

import type { ImageOptions } from '../../catalog/image-options.ts';
import type { ImagesQuirks } from '../../catalog/quirk-schemas.ts';
import type { BatchReader, FollowUps, OpenedResponse, StreamedAnswer, StreamPart } from '../batch-engine.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** A picture that a client sent, or a drawn image. */
export interface ImageFile {
  mediaType: string;
  base64: string;
}

/** Settings of an image in the words of an endpoint. Absent settings are not sent. */
export interface ImageSettings {
  /** Size in pixels, one of the endpoint's sizes. */
  size?: string | undefined;
  /** Set in place of `size` at an endpoint that takes ratios. */
  aspectRatio?: string | undefined;
  resolution?: string | undefined;
  quality?: string | undefined;
  outputFormat?: string | undefined;
  background?: string | undefined;
  /** Compression of the file in percent. */
  compression?: number | undefined;
  seed?: number | undefined;
  moderation?: string | undefined;
  inputFidelity?: string | undefined;
}

/** Options of a request. Absent fields leave the choice to the model. */
export interface ImageTask extends ImageSettings {
  prompt: string;
  count: number;
  /** `1024x1024`, or a tier such as `2K`. */
  size?: string | undefined;
  pictures: readonly ImageFile[];
  mask?: ImageFile | undefined;
  /** Number of partial images before the finished one, in a streamed answer; undefined for a whole answer. */
  partialImages?: number | undefined;
}

/** The images that one request to the provider asks for. */
export interface Drawing extends ImageSettings {
  prompt: string;
  count: number;
  pictures: readonly ImageFile[];
  mask?: ImageFile | undefined;
  /** Number of partial images that the provider sends; undefined if it sends only the finished images. */
  partialImages?: number | undefined;
}

/** An image of a streamed answer. */
export interface ImageEvent {
  file: ImageFile;
  /** Position of a partial image, from 0; undefined for the finished image. */
  partialIndex?: number | undefined;
}

/** Finished images, or for a task with `partialImages` the parts of a streamed answer. */
export type ImagesAnswer = ImageFile[] | StreamedAnswer<ImageEvent>;

export type ImageTarget = WireTarget<ImagesQuirks> & { image: ImageOptions };

/** An image in a provider's answer: its content, or the address of its file. */
export type DrawnImage = { base64: string } | { url: string };

/** An image in the events of a provider. */
export interface DrawnEvent {
  image: DrawnImage;
  isPartial: boolean;
}

export interface ImageCodec extends BatchReader {
  /**
   * Returns the request for some images.
   * @throws {GatewayError} 400 for images that the wire cannot express
   */
  requestFor(drawing: Drawing, target: ImageTarget): WireRequest;
  /**
   * Reads the images of an answer. A codec of jobs polls until the job ends.
   * @throws {UpstreamError} for an answer without images
   */
  imagesIn(body: unknown, target: ImageTarget, followUps: FollowUps): DrawnImage[] | Promise<DrawnImage[]>;
  /**
   * Yields partial images, and finally the finished image with its usage. Absent: the wire has no partial images.
   * @param maxEventBytes maximum size of an event
   */
  decode?(response: OpenedResponse, maxEventBytes: number): AsyncGenerator<StreamPart<DrawnEvent>, void>;
}
