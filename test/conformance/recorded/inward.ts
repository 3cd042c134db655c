/**
 * Measures recordings of OpenAI's two APIs as traffic of the gateway's clients. The gateway's own request must be
 * equivalent to the recorded request, and the converted answer must have the content of the recorded answer.
 */

import type { MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import { ChunkWriter } from '../../../lambdas/client-apis/chat/chunks.ts';
import { chatCompletion } from '../../../lambdas/client-apis/chat/completion.ts';
import { chatRequestSchema } from '../../../lambdas/client-apis/chat/request.ts';
import { ToolNames } from '../../../lambdas/client-apis/tool-names.ts';
import { responsesRequestSchema } from '../../../lambdas/client-apis/responses/request.ts';
import { ResponseWriter } from '../../../lambdas/client-apis/responses/stream-events.ts';
import { wholeResponse } from '../../../lambdas/client-apis/responses/whole-response.ts';
import { withoutRouting, type RoutedRequest } from '../../../lambdas/messages/preferences.ts';
import type { MessageBody, MessagesEvent } from '../../../lambdas/messages/types.ts';
import { messagesWire } from '../../../lambdas/providers/wires.ts';
import { loadShippedCatalog } from '../../support/catalog.ts';
import { differences, eventsOf, messageOf, withCounts } from './answers.ts';
import type { Interaction } from './interactions.ts';
import { differingParts } from './meaning.ts';
import type { Measured } from './measured.ts';
import { targetOf } from './requests.ts';
import type { WireRow } from './wire-row.ts';

interface RecordedClientApi {
  /**
   * Reads a client's request.
   * @throws {GatewayError} if the gateway refuses the request
   */
  read: (body: object) => RoutedRequest;
  writer: () => { write: (event: MessagesEvent) => string };
  whole: (message: MessageBody) => object;
}

const identity = { generationId: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d', model: 'm' };
const chatSettings = { showsReasoning: true, tools: new ToolNames(), hasOlderCalls: false, hasUsageChunk: true };
const responseSettings = { tools: new ToolNames(), showsSources: true, showsThinking: true };

const clientApis: Partial<Record<MessagesWireName, RecordedClientApi>> = {
  'openai-chat': {
    read: (body) => chatRequestSchema.parse(body).message,
    writer: () => new ChunkWriter(identity, chatSettings),
    whole: (message) => chatCompletion(message, chatSettings),
  },
  'openai-responses': {
    read: (body) => responsesRequestSchema.parse(body).message,
    writer: () => new ResponseWriter(identity, responseSettings),
    whole: (message) => wholeResponse(message, responseSettings),
  },
};

/** Measures converted answers. Refusals, and answers that end with an error, are not measured. */
export async function measureInwardAnswers(rows: readonly WireRow[], interactions: Interaction[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const interaction of interactions) {
    const clientApi = clientApis[interaction.wire];
    if (!clientApi || interaction.answer.kind === 'refusal') continue;
    const events = await eventsOf(messagesWire(interaction.wire)!, interaction.answer);
    if (events.at(-1)?.type === 'error') continue;
    const row = rows.find(({ wire }) => wire === interaction.wire)!;
    measured.push({ interaction, complaints: complaintsAboutAnswer(interaction, row, { clientApi, events }) });
  }
  return measured;
}

function complaintsAboutAnswer(
  interaction: Interaction,
  row: WireRow,
  { clientApi, events }: { clientApi: RecordedClientApi; events: MessagesEvent[] },
): string[] {
  const counted = events.map(withCounts);
  const writer = clientApi.writer();
  const stream = counted.map((event) => writer.write(event)).join('');
  const document = JSON.stringify(clientApi.whole(messageOf(counted)));
  const readAs = (kind: 'stream' | 'document', text: string) =>
    row.read({ ...interaction, answer: { kind, bytes: Buffer.from(text) } });
  const said = row.read(interaction);
  return [
    ...differences('streamed: ', said, readAs('stream', stream)),
    ...differences('whole: ', said, readAs('document', document)),
  ];
}

/**
 * Reads recorded requests as requests of a client, and encodes them for the same provider; requests that the provider
 * refused are not measured.
 */
export function measureInwardRequests(rows: readonly WireRow[], interactions: Interaction[]): Measured[] {
  const endpoints = loadShippedCatalog().models.flatMap((model) => model.endpoints);
  return interactions.flatMap((interaction) => {
    const { wire, request, answer } = interaction;
    const clientApi = clientApis[wire];
    if (!clientApi || !request || answer.kind === 'refusal') return [];
    const row = rows.find((one) => one.wire === wire)!;
    return { interaction, complaints: complaintsAboutRequest(interaction, { row, clientApi, endpoints }) };
  });
}

function complaintsAboutRequest(
  { provider, wire, request }: Interaction,
  {
    row,
    clientApi,
    endpoints,
  }: { row: WireRow; clientApi: RecordedClientApi; endpoints: Parameters<typeof targetOf>[2]['endpoints'] },
): string[] {
  const { body, uri } = request as { body: Record<string, unknown>; uri: string };
  try {
    const message = withoutRouting(clientApi.read(body));
    const target = targetOf(provider, message.model, { row, endpoints });
    const sent = messagesWire(wire)!.encode(message, target, {
      anthropicVersion: '2023-06-01',
      anthropicBeta: undefined,
    });
    const ours = JSON.parse(sent.body) as Record<string, unknown>;
    return differingParts(row.readRequest(body, uri).request, row.readRequest(ours, sent.path).request, target.quirks);
  } catch (error) {
    return [(error as Error).message];
  }
}
