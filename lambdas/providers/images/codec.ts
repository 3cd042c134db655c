/** Draws images: a prompt and pictures become requests to a provider, and its answers become files. */

import type { ImageOptions } from '../../catalog/image-options.ts';
import type { ImagesQuirks } from '../../catalog/quirk-schemas.ts';
import type { BatchReader, FollowUps } from '../batch-engine.ts';
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
}

/** The images that one request to the provider asks for. */
export interface Drawing extends ImageSettings {
  prompt: string;
  count: number;
  pictures: readonly ImageFile[];
  mask?: ImageFile | undefined;
}

export type ImageTarget = WireTarget<ImagesQuirks> & { image: ImageOptions };

/** An image in a provider's answer: its content, or the address of its file. */
export type DrawnImage = { base64: string } | { url: string };

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
}
