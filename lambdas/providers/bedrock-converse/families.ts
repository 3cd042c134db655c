import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint on the Converse wire. */
export type ConverseTarget = WireTarget<BedrockConverseQuirks>;

/** Features of only some model families. Sources: notes in AWS's API reference, and its guides for Claude and Nova. */
interface Family {
  /** Places that may have a cache point. */
  cachePoints: ReadonlySet<'tools' | 'system' | 'messages'>;
  /** Whether cache points may last an hour. */
  hasCacheTtl: boolean;
  /** Whether a result may have the status of a failed tool. */
  hasResultStatus: boolean;
  /** Whether a single tool may be forced by name. */
  hasNamedTool: boolean;
  /** Whether it supports citations of documents, and results of the client's own search. */
  hasCitations: boolean;
  /** Whether answers and strict calls can follow a schema, regardless of the catalog's list. */
  hasStructuredAnswers: boolean;
  /** Whether its thinking has Anthropic's signatures, which every service with Claude accepts. */
  hasAnthropicSignatures: boolean;
}

const noModelFields: Family = {
  cachePoints: new Set(),
  hasCacheTtl: false,
  hasResultStatus: false,
  hasNamedTool: false,
  hasCitations: false,
  hasStructuredAnswers: false,
  hasAnthropicSignatures: false,
};

const families: Record<NonNullable<BedrockConverseQuirks['family']>, Family> = {
  other: noModelFields,
  claude: {
    cachePoints: new Set(['tools', 'system', 'messages']),
    hasCacheTtl: true,
    hasResultStatus: true,
    hasNamedTool: true,
    hasCitations: true,
    hasStructuredAnswers: true,
    hasAnthropicSignatures: true,
  },
  nova: { ...noModelFields, cachePoints: new Set(['system', 'messages']), hasResultStatus: true, hasNamedTool: true },
};

/** Name of the signer: this model at this provider. No other model accepts its signatures. */
export function signerOf({ providerId, upstreamModel }: ConverseTarget): string {
  // A dot would end the signer's name.
  return `${providerId}/${encodeURIComponent(upstreamModel).replaceAll('.', '%2E')}`;
}

export function familyOf({ quirks }: Pick<ConverseTarget, 'quirks'>): Family {
  return families[quirks.family ?? 'other'];
}
