import type { Money } from '../../money/money.ts';
import type { Outcome } from '../../store/generations/outcome.ts';
import type { ProviderJob } from '../../store/generations/provider-jobs.ts';

/** Declares a modality whose answers are files that a provider makes in a job. */
export interface JobKind {
  /** Name of an answer in error messages and in the type of callbacks. Example: `video`. */
  noun: string;
  /** Path of the modality's routes. Example: `/videos`. */
  path: string;
  /** Names of the parts of a request that a client may change after a provider has rejected it. */
  inputs: string;
  /**
   * Media type of files, such as `video/mp4`. A file has another type only if its provider names a type that begins in
   * the same way (`video/`).
   */
  mediaType: `${string}/${string}`;
  /**
   * Returns a job in the form for its client.
   * @param cost undefined if it is not yet known
   */
  viewOf: (job: ProviderJob, cost: Money | undefined) => object;
  /** Returns the billed units of a completed job. */
  unitsOf: (job: ProviderJob) => Partial<Outcome>;
}
