import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint that speaks Converse. */
export type ConverseTarget = WireTarget<BedrockConverseQuirks>;

/** What only some families of models take. From the notes of AWS' API reference, and its guides of Claude and Nova. */
interface Family {
  /** Where a cache point may stand. */
  cachePoints: ReadonlySet<'tools' | 'system' | 'messages'>;
  /** Cache points may last an hour. */
  hasCacheTtl: boolean;
  /** A result may say that the tool failed. */
  hasResultStatus: boolean;
  /** One tool may be forced by its name. */
  hasNamedTool: boolean;
  /** Documents may be cited, and results of the client's own search given. */
  hasCitations: boolean;
  /** Answers and the calls of strict tools can be bound to a schema, whatever the catalog lists. */
  hasStructuredAnswers: boolean;
  /** It signs its thinking as Anthropic does, so that each home of Claude takes it back. */
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

/** Who has what a model signs back: this model of this provider alone. */
export function signerOf({ providerId, upstreamModel }: ConverseTarget): string {
  // A point ends the name of who signed.
  return `${providerId}/${encodeURIComponent(upstreamModel).replaceAll('.', '%2E')}`;
}

export function familyOf({ quirks }: Pick<ConverseTarget, 'quirks'>): Family {
  return families[quirks.family ?? 'other'];
}
