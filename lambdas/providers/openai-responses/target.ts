import type { OpenaiResponsesQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint on the Responses wire. */
export type ResponsesTarget = WireTarget<OpenaiResponsesQuirks>;
