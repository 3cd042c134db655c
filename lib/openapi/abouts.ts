import { activity } from '../../lambdas/api/activity/about.ts';
import { alertRoutes } from '../../lambdas/api/alerts/about.ts';
import { budgets } from '../../lambdas/api/budgets/about.ts';
import { chat } from '../../lambdas/api/chat/about.ts';
import { consolePages } from '../../lambdas/api/console/about.ts';
import { credits } from '../../lambdas/api/credits/about.ts';
import { statements } from '../../lambdas/api/statements/about.ts';
import { tags } from '../../lambdas/api/tags/about.ts';
import { generations } from '../../lambdas/api/generations/about.ts';
import { images } from '../../lambdas/api/images/about.ts';
import { keys } from '../../lambdas/api/keys/about.ts';
import { members } from '../../lambdas/api/members/about.ts';
import { messages } from '../../lambdas/api/messages/about.ts';
import { modelListAbout, models } from '../../lambdas/api/models/about.ts';
import { modalityAbouts, type ModalityTexts } from '../../lambdas/api/parts/about.ts';
import { responses } from '../../lambdas/api/responses/about.ts';
import { textConversion } from '../../lambdas/api/speech/about.ts';
import { recordingConversion } from '../../lambdas/api/transcriptions/about.ts';
import { service } from '../../lambdas/api/service/about.ts';
import { videos } from '../../lambdas/api/videos/about.ts';
import { workspaces } from '../../lambdas/api/workspaces/about.ts';
import type { About } from '../../lambdas/http/about.ts';
import type { ModalityRow } from '../../lambdas/route.ts';
import { wholeModalities } from '../../lambdas/modality-rows.ts';
import type { RouteName, WholeRoute } from '../../lambdas/routes.ts';

/** Texts of the routes of modalities, from the `about.ts` of their folders. */
async function wholeAbouts(): Promise<Record<WholeRoute, About>> {
  const found = Object.entries<ModalityRow>(wholeModalities).map(async ([kind, row]) => {
    const { about } = (await import(`../../lambdas/api/${kind}/about.ts`)) as { about: ModalityTexts };
    const list = about.list && { [`list-${kind}-models`]: modelListAbout(about.list, row.paths[0]) };
    return { ...modalityAbouts(row, about), ...list };
  });
  return Object.assign({}, ...(await Promise.all(found))) as Record<WholeRoute, About>;
}

/** Texts of the routes, in the order of the reference. */
export const abouts: Record<RouteName, About> = {
  ...messages,
  ...chat,
  ...responses,
  ...(await wholeAbouts()),
  ...images,
  ...textConversion,
  ...recordingConversion,
  ...videos,
  ...models,
  ...generations,
  ...credits,
  ...statements,
  ...activity,
  ...keys,
  ...workspaces,
  ...members,
  ...budgets,
  ...tags,
  ...alertRoutes,
  ...consolePages,
  ...service,
};
