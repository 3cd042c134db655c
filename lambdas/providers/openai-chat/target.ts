import type { OpenaiChatQuirks } from '../../catalog/quirk-schemas.ts';
import type { ToolNameRule } from '../translated/tool-names.ts';
import type { WireTarget } from '../wire.ts';

export type ChatTarget = WireTarget<OpenaiChatQuirks>;

export function toolNameRule({ quirks }: ChatTarget): ToolNameRule {
  return quirks.functions || quirks.tool_names_begin_with_letter ? 'letterFirst' : 'any';
}
