/** Writes docs/conformance.md. */

import { writeDocument } from './document.ts';
import { hasRecordings } from './recorded/interactions.ts';
import { reportOnRecordings } from './recorded/report.ts';

if (!hasRecordings)
  throw new Error('The recordings are not present; docs/conformance.md cannot be measured without them');
writeDocument([(await reportOnRecordings()).markdown]);
