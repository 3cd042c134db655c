import { ok, tagged } from '../../http/about.ts';
import { modelAnswer, modelListAnswer, videoModelListAnswer } from './shape.ts';

export const models = tagged('Catalog', {
  'list-models': {
    summary: 'List models',
    description:
      'The whole list, unless offset or limit is given. `pricing` and `top_provider` are those of the default route: the cheapest endpoint, which is tried first.',
    success: ok('Models of the wanted modalities.', modelListAnswer),
  },
  'get-model': {
    summary: 'Read a model',
    description:
      'Endpoints tell how they are doing: `status` now, uptime in percent over five minutes, half an hour and a day (requests that a limit refused are left out), percentiles of latency and throughput over half an hour. What was not measured is null.',
    success: ok(
      'The model; with its endpoints, in the order in which they are tried, when they were asked for. An empty `routing.default` means automatic routing.',
      modelAnswer,
    ),
  },
  'list-user-models': {
    summary: 'List the models that the calling key may use',
    description:
      'Models with at least one provider that the privacy settings of account, workspace and key allow. For a management key the account and its Default workspace count. Prices are those of the cheapest endpoint that is allowed.',
    success: ok('Models of the wanted modalities.', modelListAnswer),
  },
  'list-embeddings-models': {
    summary: 'List embedding models',
    success: ok('Models that make embeddings.', modelListAnswer),
  },
  'list-videos-models': {
    summary: 'List video models',
    success: ok('Models that make video, with what each can be asked for.', videoModelListAnswer),
  },
});
