import * as z from 'zod';
import { allowedModelRule, MAX_ALLOWED, NETWORK_RULE } from '../../management/rules.ts';
import { isNetwork } from '../../platform/networks.ts';
import { textField } from '../../http/fields.ts';

/** Schema of a list that allows only its entries. An empty list would allow nothing, which is probably a mistake. */
function allowed<Entry extends z.ZodType<string>>(entry: Entry) {
  return z
    .array(entry)
    .min(1, 'must have at least one entry; null removes the restriction')
    .max(MAX_ALLOWED, `must have at most ${MAX_ALLOWED} entries`)
    .nullish();
}

/**
 * Fields that limit how keys are used, in bodies of keys, workspaces and members. null removes a limit.
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
  };
}
