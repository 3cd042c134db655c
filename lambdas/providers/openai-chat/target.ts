import type { OpenaiChatQuirks } from '../../catalog/wires.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint that speaks chat completions. */
export type ChatTarget = WireTarget<OpenaiChatQuirks>;
