/** Schemas of the quirks of the wires that rank documents. */

import * as z from 'zod';
import { common } from './common-quirks.ts';

export const rerankQuirks = z.strictObject({
  ...common,
  /** Maximum number of documents per request. Default: 1,000. */
  max_documents: z.int().positive().optional(),
});
export const serverRerankQuirks = rerankQuirks.extend({
  /** Names of the fields in requests and responses: Jina's (also vLLM and llama.cpp), Voyage's, or TEI's. */
  rerank_form: z.enum(['jina', 'voyage', 'tei']).optional(),
});
export type RerankQuirks = z.infer<typeof serverRerankQuirks>;
