import type { OpenaiResponsesQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

export type ResponsesTarget = WireTarget<OpenaiResponsesQuirks>;
