import type { GoogleGeminiQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

export type GeminiTarget = WireTarget<GoogleGeminiQuirks>;
