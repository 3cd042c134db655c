import type { BedrockConverseQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

export type ConverseTarget = WireTarget<BedrockConverseQuirks>;

/** Features of model families. Sources: AWS's API reference, and its guides for Claude and Nova. */
interface Family {
  /** Parts of a request that may have a cache point (a mark up to which the prompt is cached). */
  cachePoints: ReadonlySet<'tools' | 'system' | 'messages'>;
  hasCacheTtl: boolean;
  /**
   * Whether a cache point in a message may follow only a text. Nova rejects a point after a tool call or its result
   * (https://github.com/zeroclaw-labs/zeroclaw/issues/8720, https://github.com/aws-samples/bedrock-engineer/pull/71).
   */
  cachesOnlyTexts: boolean;
  /** Whether a tool result may have a status, such as a failure. */
  hasResultStatus: boolean;
  /**
   * Whether a tool result may contain images
   * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html).
   */
  hasImagesInResults: boolean;
  /** Whether tool_choice may require a certain tool by name. */
  hasNamedTool: boolean;
  /** Whether the models support citations of documents, and search results that the client provides. */
  hasCitations: boolean;
  /** Whether answers and strict calls can follow a schema, even if the catalog does not list structured_outputs. */
  hasStructuredAnswers: boolean;
  /** Whether thinking has Anthropic's signatures. */
  hasAnthropicSignatures: boolean;
}

const noModelFields: Family = {
  cachePoints: new Set(),
  hasCacheTtl: false,
  cachesOnlyTexts: false,
  hasResultStatus: false,
  hasImagesInResults: false,
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
    cachesOnlyTexts: false,
    hasResultStatus: true,
    hasImagesInResults: true,
    hasNamedTool: true,
    hasCitations: true,
    hasStructuredAnswers: true,
    hasAnthropicSignatures: true,
  },
  nova: {
    ...noModelFields,
    cachePoints: new Set(['system', 'messages']),
    cachesOnlyTexts: true,
    hasResultStatus: true,
    hasImagesInResults: true,
    hasNamedTool: true,
  },
};

/** Returns the prefix of the model's signatures, which other models reject: the provider and the model. */
export function signerOf({ providerId, upstreamModel }: ConverseTarget): string {
  // In the gateway's signatures, a dot follows the signer's name, so the name must not contain a dot.
  return `${providerId}/${encodeURIComponent(upstreamModel).replaceAll('.', '%2E')}`;
}

export function familyOf({ quirks }: Pick<ConverseTarget, 'quirks'>): Family {
  return families[quirks.family ?? 'other'];
}
