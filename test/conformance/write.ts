/** Program of `npm run conformance`, which writes test/conformance/results.md from the measurements. */

import { startGateway } from '../support/gateway.ts';
import { reportOnClients } from './clients/report.ts';
import { writeDocument } from './document.ts';
import { hasRecordings } from './recorded/interactions.ts';
import { reportOnRecordings } from './recorded/report.ts';

if (!hasRecordings)
  throw new Error('The recordings are not present; test/conformance/results.md cannot be measured without them');
const gateway = await startGateway();
try {
  const [clients, recordings] = [await reportOnClients(gateway), await reportOnRecordings()];
  writeDocument([clients.markdown, recordings.markdown]);
} finally {
  await gateway.stop();
}
