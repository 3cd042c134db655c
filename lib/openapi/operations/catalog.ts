import { z } from 'zod';
import { accepts as getModel } from '../../../lambdas/api/models/get.ts';
import { accepts as listEmbeddingsModels } from '../../../lambdas/api/models/list-embeddings.ts';
import { accepts as listModels } from '../../../lambdas/api/models/list.ts';
import { accepts as listUserModels } from '../../../lambdas/api/models/list-user.ts';
import type { RouteName } from '../../../lambdas/routes.ts';
import { ok, type Operation } from '../operation.ts';
import { modelList, modelWithEndpointsShape, videoModelShape } from '../catalog-shapes.ts';
import { data } from '../shapes.ts';

export const catalogOperations = {
  'list-models': {
    tag: 'Catalog',
    summary: 'List models',
    description:
      'The whole list, unless offset or limit is given. `pricing` and `top_provider` are those of the default route: the cheapest endpoint, which is tried first.',
    request: listModels,
    success: ok('Models of the wanted modalities.', modelList),
  },
  'get-model': {
    tag: 'Catalog',
    summary: 'Read a model',
    request: getModel,
    success: ok(
      'The model; with its endpoints, in the order in which they are tried, when they were asked for. An empty `routing.default` means automatic routing.',
      z.strictObject({
        data: modelWithEndpointsShape,
        routing: z.strictObject({ default: z.strictObject({}) }).optional(),
      }),
    ),
    errors: ['not_found'],
  },
  'list-user-models': {
    tag: 'Catalog',
    summary: 'List the models that the calling key may use',
    description:
      'Models with at least one provider that the privacy settings of account, workspace and key allow. For a management key the account and its Default workspace count. Prices are those of the cheapest endpoint that is allowed.',
    request: listUserModels,
    success: ok('Models of the wanted modalities.', modelList),
  },
  'list-embeddings-models': {
    tag: 'Catalog',
    summary: 'List embedding models',
    request: listEmbeddingsModels,
    success: ok('Models that make embeddings.', modelList),
  },
  'list-videos-models': {
    tag: 'Catalog',
    summary: 'List video models',
    success: ok('Models that make video, with what each can be asked for.', data(z.array(videoModelShape))),
  },
} satisfies Partial<Record<RouteName, Operation>>;
