import { count, optional, plain } from '../table/record.ts';

/** Allowed values by name of tag: `{project: ['lake', 'core'], team: null}`. null allows any value. */
export type RequiredTags = Readonly<Record<string, string[] | null>>;

/**
 * Limits on the use of keys. A request must obey the limits of its key, of the key's workspace and of the key's member.
 */
export const useLimitFields = {
  /** Models that may be called: ids of models or aliases, and patterns with `*`. Undefined allows all models. */
  allowedModels: optional(plain<string[]>('allowed_models')),
  /** Networks from which a key may be used: addresses, or blocks in CIDR notation. Undefined allows all networks. */
  allowedNetworks: optional(plain<string[]>('allowed_networks')),
  /** Maximum number of requests of a key that are admitted in one UTC minute. `tpmLimit` limits their tokens. */
  rpmLimit: optional(count('rpm_limit')),
  tpmLimit: optional(count('tpm_limit')),
  /** Maximum number of running requests of a key. */
  parallelLimit: optional(count('parallel_limit')),
  /** Tags that each request must have, with their allowed values. */
  requiredTags: optional(plain<RequiredTags>('required_tags')),
};

export interface UseLimits {
  allowedModels: string[] | undefined;
  allowedNetworks: string[] | undefined;
  rpmLimit: number | undefined;
  tpmLimit: number | undefined;
  parallelLimit: number | undefined;
  requiredTags: RequiredTags | undefined;
}

export const noUseLimits: UseLimits = {
  allowedModels: undefined,
  allowedNetworks: undefined,
  rpmLimit: undefined,
  tpmLimit: undefined,
  parallelLimit: undefined,
  requiredTags: undefined,
};
