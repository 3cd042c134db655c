import type { WireOf } from '../../catalog/wires.ts';
import type { BatchEngine } from '../batch-engine.ts';
import type { ImageFile, ImageTask } from './codec.ts';
import { drawer } from './drawer.ts';
import { openaiImages } from './openai.ts';

export const imageEngines: Record<WireOf<'image'>, BatchEngine<ImageTask, ImageFile[]>> = {
  'openai-images': drawer(openaiImages),
};
