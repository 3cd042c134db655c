import * as z from 'zod';
import { answerOnce } from '../../http/answer-once.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { keyHash } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { etag, expectedVersion } from '../../http/versions.ts';
import { changesOf } from '../../management/change.ts';
import { MAX_OVERLAP_SECONDS, rotateKey, type RotatedKey } from '../../management/rotate-key.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import { resources } from '../../resources.ts';
import { readCounter } from '../../store/counters/counters.ts';
import type { RotatedKeyAnswer } from './shape.ts';
import { keyView } from './view.ts';

/** A day, in seconds, for which the replaced secret still works by default. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

export const accepts = {
  once: answerOnce,
  params: z.object({ hash: keyHash }),
  body: z.strictObject({
    expires_old_in_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).nullish().meta({
      description: `The seconds for which the replaced secret still works, at most thirty days. Without it, a day; with 0, the replaced secret stops at once.`,
      example: DEFAULT_OVERLAP_SECONDS,
    }),
  }),
};

export const handler = defineEndpoint(
  'rotate-key',
  accepts,
  async ({ params: { hash }, body, caller, request, once }) => {
    const table = resources.table();
    return once(async (keep) => {
      const counter = await readCounter(table, { kind: 'key', id: hash });
      const answer = ({ key, secret, oldWorksUntil }: RotatedKey) => {
        const data = { ...keyView(key, counter), key: secret, old_key_expires_at: oldWorksUntil ?? null };
        return jsonResponse<RotatedKeyAnswer>(200, { data, key: secret }, etag(key.version));
      };
      const rotated = await rotateKey(
        changesOf(table, caller, request.id),
        await readPepper(),
        { hash, kind: 'inference', expectedVersion: expectedVersion(request) },
        body.expires_old_in_seconds ?? DEFAULT_OVERLAP_SECONDS,
        (made) => keep(answer(made)),
      );
      return answer(rotated);
    });
  },
);
