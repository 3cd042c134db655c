/** Bodies of routes that spend money. */

import { routes, type RouteName } from '../../lambdas/routes.ts';
import { shortRecording } from './client-api-bodies.ts';
import { said } from './gateway.ts';

const messages = [said('Hi', 'delay=0')];
const question = { type: 'noul', instructions: 'Is the writer angry?' };
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const drawing = { model: 'sandbox/painter', prompt: 'Snow' };
const recording = { model: 'sandbox/scribe', input_audio: { data: shortRecording } };

/** Bodies by the name of the route. A new route needs a body here. */
export const spendingBodies: Partial<Record<RouteName, Record<string, unknown>>> = {
  'create-message': { model: 'sandbox/claude', max_tokens: 5, messages },
  'create-chat-completion': { model: 'sandbox/gpt', max_tokens: 5, messages },
  'create-response': { model: 'sandbox/gpt', max_output_tokens: 5, input: 'Hi @sandbox delay=0' },
  'create-embeddings': { model: 'sandbox/embedder', input: 'Hi' },
  'create-rerank': { model: 'sandbox/ranker', query: 'Hi', documents: ['Hi'] },
  'create-image': drawing,
  'generate-image': drawing,
  'edit-image': { ...drawing, images: [{ image_url: pixel }] },
  'create-speech': { model: 'sandbox/speaker', input: 'Hi', voice: 'ember' },
  'create-transcription': recording,
  'create-translation': recording,
  'convert-text': { model_id: 'sandbox/speaker', text: 'Hi' },
  'create-decision': { model: 'sandbox/judge', state: 'Hi', questions: { angry: question } },
  'create-video': { model: 'sandbox/filmmaker', prompt: 'Snow' },
};

/** Names and paths of the inference routes, except of the route that accepts only forms. */
export const spendingRoutes = Object.entries(routes)
  .filter(([name, route]) => 'inference' in route && name !== 'convert-recording')
  .map(([name, { paths }]) => [name as RouteName, paths[0].replace('{voice_id}', 'alto')] as const);
