import type { GoogleGeminiQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/** An endpoint with Gemini's own API. */
export type GeminiTarget = WireTarget<GoogleGeminiQuirks>;
