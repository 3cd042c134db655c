import * as z from 'zod';
import { ok, tagged } from '../../http/about.ts';
import { modelAnswer, modelListAnswer, videoModelListAnswer } from './shape.ts';
import { messagesModelAnswer, messagesModelListAnswer } from './messages-shape.ts';

const modelHeaders = {
  'anthropic-version': z.string().optional().meta({
    description: 'With this header, which clients of the Messages API send, the answer has the shape that they read.',
    example: '2023-06-01',
  }),
};

const filtersNote =
  'Filters all apply together; prices and limits are those of the default route. A name that nothing has matches nothing. `arch`, `region`, benchmarks and `tool_success_rate` are refused, because the catalog does not know them; so are orders by popularity and benchmarks. Orders by speed are by the medians of the last half hour, what is not measured last. Other parameters are ignored.';
const messagesNote =
  'With `anthropic-version`: models that make text, the newest first, in pages of 20 that `after_id` and `before_id` turn.';

export const models = tagged('Catalog', {
  'list-models': {
    summary: 'List models',
    description: `The whole list, unless offset or limit is given. \`pricing\` and \`top_provider\` are those of the default route: the cheapest endpoint, which is tried first. ${filtersNote} ${messagesNote}`,
    headers: modelHeaders,
    success: ok('Models that pass the filters.', z.xor([modelListAnswer, messagesModelListAnswer])),
  },
  'get-model': {
    summary: 'Read a model',
    description:
      'With `anthropic-version`, and without endpoints: the model as the Messages API shows it; of an alias, the model that answers; 404 for what makes no text. Endpoints tell how they are doing: `status` now, uptime in percent over five minutes, half an hour and a day (requests that a limit refused are left out), percentiles of latency and throughput over half an hour. What was not measured is null.',
    headers: modelHeaders,
    success: ok(
      'The model; with its endpoints, in the order in which they are tried, when they were asked for. An empty `routing.default` means automatic routing.',
      z.xor([modelAnswer, messagesModelAnswer]),
    ),
  },
  'list-user-models': {
    summary: 'List the models that the calling key may use',
    description:
      'Models with at least one provider that the privacy settings of account, workspace and key allow. For a management key the account and its Default workspace count. Prices are those of the cheapest endpoint that is allowed. Filters, orders, pages and shapes are those of GET /models.',
    headers: modelHeaders,
    success: ok('Models that pass the filters.', z.xor([modelListAnswer, messagesModelListAnswer])),
  },
  'list-embeddings-models': {
    summary: 'List embedding models',
    description: 'Filters, orders and pages are those of GET /models.',
    success: ok('The models that turn texts into vectors (embeddings).', modelListAnswer),
  },
  'list-videos-models': {
    summary: 'List video models',
    success: ok('Models that make video, with what each can be asked for.', videoModelListAnswer),
  },
});
