import type { OpenaiResponsesQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint that speaks the Responses API. */
export type ResponsesTarget = WireTarget<OpenaiResponsesQuirks>;
