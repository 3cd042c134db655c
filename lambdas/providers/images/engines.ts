import type { WireOf } from '../../catalog/wires.ts';
import type { BatchEngine } from '../batch-engine.ts';
import { novaImages, stabilityImages } from './bedrock.ts';
import { bflImages } from './bfl.ts';
import type { ImagesAnswer, ImageTask } from './codec.ts';
import { drawer } from './drawer.ts';
import { geminiImages } from './gemini.ts';
import { imagenImages } from './imagen.ts';
import { openaiImages } from './openai.ts';
import { yandexArtImages } from './yandex-art.ts';

export const imageEngines: Record<WireOf<'image'>, BatchEngine<ImageTask, ImagesAnswer>> = {
  'openai-images': drawer(openaiImages),
  'gemini-images': drawer(geminiImages),
  imagen: drawer(imagenImages),
  'bfl-images': drawer(bflImages),
  'bedrock-stability': drawer(stabilityImages),
  'bedrock-nova-canvas': drawer(novaImages),
  'yandex-art': drawer(yandexArtImages),
};
