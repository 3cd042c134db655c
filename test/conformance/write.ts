/** Program of `npm run conformance`, which writes test/conformance/results.md. */

import { startGateway } from '../support/gateway.ts';
import { toolArguments } from '../../lib/shared/tool-arguments.ts';
import { reportOnClients } from './clients/report.ts';
import { writeDocument } from './document.ts';
import { hasRecordings } from './recorded/interactions.ts';
import { reportOnRecordings } from './recorded/report.ts';

toolArguments(
  `Usage: npm run conformance

Measures which recorded exchanges and clients the gateway serves, and writes test/conformance/results.md.`,
  {},
);
if (!hasRecordings)
  throw new Error('The recordings are not present; test/conformance/results.md cannot be measured without them');
const gateway = await startGateway();
try {
  const [clients, recordings] = [await reportOnClients(gateway), await reportOnRecordings()];
  writeDocument([clients.markdown, recordings.markdown]);
} finally {
  await gateway.stop();
}
