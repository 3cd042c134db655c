import type { GoogleGeminiQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint that speaks Gemini's own format. */
export type GeminiTarget = WireTarget<GoogleGeminiQuirks>;
