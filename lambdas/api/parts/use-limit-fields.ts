import * as z from 'zod';
import {
  allowedModelRule,
  MAX_ALLOWED,
  MAX_RATES,
  MAX_REQUIRED,
  NETWORK_RULE,
  tagNameRule,
  tagValueRule,
} from '../../management/rules.ts';
import { isNetwork } from '../../platform/networks.ts';
import { textField } from '../../http/fields.ts';

/**
 * Returns the schema of a list of allowed values. An empty list is refused: it would allow nothing, probably by
 * mistake.
 */
function allowed<Entry extends z.ZodType<string>>(entry: Entry) {
  return z
    .array(entry)
    .min(1, 'must have at least one entry; null removes the restriction')
    .max(MAX_ALLOWED, `must have at most ${MAX_ALLOWED} entries`)
    .nullish();
}

/** Returns the schema of a rate. 0 is refused, because a key that must not send requests should be disabled instead. */
function rate(field: keyof typeof MAX_RATES) {
  const says = `must be a whole number from 1 to ${MAX_RATES[field]}; null removes the limit`;
  return z.int(says).min(1, says).max(MAX_RATES[field], says).nullish();
}

/** Tags that each request must have. An empty object is refused, because it would require nothing. */
const requiredTags = z
  .record(
    textField(tagNameRule),
    z
      .array(textField(tagValueRule))
      .min(1, 'must have at least one value; null allows any value')
      .max(MAX_REQUIRED.values, `must have at most ${MAX_REQUIRED.values} values`)
      .nullable(),
    { error: ({ code }) => (code === 'invalid_key' ? `its name ${tagNameRule.says}` : undefined) },
  )
  .refine((tags) => Object.keys(tags).length > 0, 'must have at least one tag; null removes the restriction')
  .refine((tags) => Object.keys(tags).length <= MAX_REQUIRED.tags, `must be at most ${MAX_REQUIRED.tags} tags`)
  .refine((tags) => Buffer.byteLength(JSON.stringify(tags)) <= MAX_REQUIRED.bytes, 'must be at most 8 KB')
  .nullish();

/**
 * Returns the fields that limit how keys are used; null removes a limit.
 * @param whose the keys that the limits apply to, for the descriptions
 */
export function useLimitFieldsFor(whose: string) {
  return {
    allowed_models: allowed(textField(allowedModelRule)).meta({
      description: `The models that ${whose} may call: ids of models or aliases, and patterns with \`*\` for any text. Fallbacks in \`models\` must be allowed too. Requests for other models get 403. null allows all models.`,
      example: ['sandbox/claude', 'sandbox/gpt*'],
    }),
    allowed_networks: allowed(z.string().max(64, NETWORK_RULE).refine(isNetwork, NETWORK_RULE)).meta({
      description: `The networks from which ${whose} may be used: IPv4 and IPv6 addresses, and blocks in CIDR notation. Requests from other addresses get 403. null allows all networks.`,
      example: ['192.0.2.0/24', '2001:db8::/32'],
    }),
    rpm_limit: rate('rpm_limit').meta({
      description: `The most requests of ${whose} that are admitted in a UTC minute. Further requests get 429. null for no limit.`,
      example: 60,
    }),
    tpm_limit: rate('tpm_limit').meta({
      description: `The most tokens of prompts and answers of ${whose} in a UTC minute. A request counts with its upper bound while it runs, and with its real tokens after that. null for no limit.`,
      example: 200_000,
    }),
    parallel_limit: rate('parallel_limit').meta({
      description: `The most requests of ${whose} that run at once, videos included. null for no limit.`,
      example: 8,
    }),
    required_tags: requiredTags.meta({
      description: `The tags that each request of ${whose} must have, with up to 50 allowed values each; null instead of values allows any value. Requests without them get 403. null requires no tags.`,
      example: { project: ['lake', 'core'], team: null },
    }),
  };
}
