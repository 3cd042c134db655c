import * as z from 'zod';
import { ok, tagged, type About } from '../../http/about.ts';
import type { ModelListTexts } from '../parts/about.ts';
import { claudeEndpointExample, claudeExample, filmmakerExample, listedExample } from './examples.ts';
import { modelAnswer, modelListAnswer, videoModelListAnswer } from './shape.ts';
import { codexModelListAnswer } from './codex-shape.ts';
import { messagesModelAnswer, messagesModelListAnswer } from './messages-shape.ts';

const modelHeaders = {
  'anthropic-version': z.string().optional().meta({
    description:
      'The version of Anthropic’s Messages API that the client speaks. With this header, the answer has the shape of that API.',
    example: '2023-06-01',
  }),
};

const filtersNote =
  'A model has to fit all filters that are given, with the prices and limits of its default route. A name that is not known fits no model. `arch`, `region`, benchmarks and `tool_success_rate` are refused, because the catalog has no data for them; so are orders by popularity and by benchmarks. Orders by speed compare the medians of the last half hour; models that were not measured come last. Other parameters are ignored.';
const messagesNote =
  'With the header `anthropic-version`, the answer has the shape of the Messages API: models that make text and can be called, the newest first, in pages of 20, of which `after_id` and `before_id` choose one.';

const { id, object, created, owned_by } = claudeExample;
const claudeTop = { id, object, created, owned_by };
const codexNote =
  'With the parameter `client_version`, which Codex sends, the answer has the shape that Codex reads: models that make text and can be called.';

const listExample = (model: object) => ({ object: 'list', data: [model], links: { next: null }, total_count: 1 });

export const models = tagged('Catalog', {
  'list-models': {
    summary: 'List models',
    description: `Lists the models that make text; \`output_modalities=all\` lists all models. The whole list comes at once unless \`offset\` or \`limit\` is given. \`pricing\` and \`top_provider\` are those of the default route: the cheapest endpoint (one provider’s offer of the model), which is tried first. ${filtersNote} ${messagesNote} ${codexNote}`,
    headers: modelHeaders,
    success: ok(
      'The models that fit all filters.',
      z.xor([modelListAnswer, messagesModelListAnswer, codexModelListAnswer]),
      listExample(claudeExample),
    ),
  },
  'get-model': {
    summary: 'Read a model, and its endpoints on request',
    description:
      'One model of the catalog. With `endpoints=true` the answer also has its endpoints: each is one provider’s offer of the model, with prices, limits and how it is doing. `status` is its health now; uptime is in percent over five minutes, half an hour and a day, without requests that were invalid or that a limit refused; latency and throughput are percentiles over half an hour. Values that were not measured are null. With the header `anthropic-version` and without endpoints, the answer has the shape of the Messages API: an alias is shown as the model that answers, and a model that makes no text is not found.',
    headers: modelHeaders,
    success: ok(
      'The model. If endpoints were requested, they are in the order in which they are tried. An empty `routing.default` means automatic routing.',
      z.xor([modelAnswer, messagesModelAnswer]),
      {
        ...claudeTop,
        data: { ...claudeExample, description: '', endpoints: [claudeEndpointExample] },
        routing: { default: {} },
      },
    ),
  },
  'list-user-models': {
    summary: 'List the models that the privacy settings of the calling key allow',
    description:
      'Models with at least one provider that the privacy settings of account, workspace and key allow. For a management key, these are the settings of the account and of its Default workspace. Prices are those of the cheapest endpoint (one provider’s offer of the model) that is allowed. Models that cannot be called now, because the operator has not set what their providers need, are left out. `allowed_models` excludes none. Filters, orders, pages and shapes are those of `GET /models`.',
    headers: modelHeaders,
    success: ok(
      'The models that fit all filters.',
      z.xor([modelListAnswer, messagesModelListAnswer, codexModelListAnswer]),
      listExample(claudeExample),
    ),
  },
  'list-videos-models': {
    summary: 'List video models',
    description: 'Models for `POST /videos`, with their prices, durations, resolutions and aspect ratios.',
    success: ok('Models that make video, with the options of each.', videoModelListAnswer, {
      data: [filmmakerExample],
    }),
  },
});

/**
 * Documents one route's list of models.
 * @param path path of the route to which clients send requests for these models
 */
export function modelListAbout({ summary, models: what, example }: ModelListTexts, path: string): About {
  const description = `Models for \`POST ${path}\`. Filters, orders and pages are those of \`GET /models\`.`;
  return {
    tag: 'Catalog',
    summary,
    description,
    success: ok(what, modelListAnswer, listExample(listedExample(example))),
  };
}
