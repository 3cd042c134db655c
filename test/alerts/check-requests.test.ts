import { expect, it } from 'vitest';
import { decodeAlertCheck } from '../../lambdas/store/alerts/alert-check.ts';
import { CheckRequests } from '../../lambdas/alerts/check-requests.ts';
import { newGenerationId } from '../../lambdas/platform/ids.ts';

const payer = { accountId: 'acme', workspaceId: 'team', memberId: undefined, keyHash: 'key' };
const settled = (accountId = 'acme') => ({ generationId: newGenerationId(), payer: { ...payer, accountId } });

function requestsOf(more: { has?: boolean; failing?: () => boolean } = {}) {
  const sent: string[] = [];
  const read: string[] = [];
  const requests = new CheckRequests({
    async hasSettings(accountId) {
      read.push(accountId);
      return more.has ?? true;
    },
    queue: () => ({
      async send(body) {
        if (more.failing?.()) throw new Error('The queue is down');
        sent.push(body);
      },
    }),
  });
  return { requests, sent, read };
}

it('an account without settings costs one read for many settlements, and no message', async () => {
  const { requests, sent, read } = requestsOf({ has: false });

  for (let count = 0; count < 5; count += 1) await requests.request([settled(), settled('bell')]);

  expect(read).toEqual(['acme', 'bell']);
  expect(sent).toEqual([]);
});

it('settlements of a payer share a check that is not yet due', async () => {
  const { requests, sent } = requestsOf();

  await Promise.all([requests.request([settled(), settled()]), requests.request([settled()])]);
  await requests.request([settled()]);

  expect(sent.map(decodeAlertCheck)).toEqual([{ payer, date: new Date().toISOString().slice(0, 10) }]);
});

it('a check with a short delay is not shared, because it may be delivered at once', async () => {
  const { requests, sent } = requestsOf();

  const soon = { delaySeconds: 1, committedWithinSeconds: 0 };
  await requests.request([settled()], soon);
  await requests.request([settled()], soon);

  expect(sent).toHaveLength(2);
});

it('a settlement that is still to be made does not share a check that is due before', async () => {
  const { requests, sent } = requestsOf();
  const sweep = { delaySeconds: 120, committedWithinSeconds: 90 };

  await requests.request([settled()]);
  await requests.request([settled()], sweep);
  await requests.request([settled()], sweep);

  expect(sent).toHaveLength(2);
});

it('a check that could not be requested is requested again', async () => {
  let isDown = true;
  const { requests, sent } = requestsOf({ failing: () => isDown });

  const both = await Promise.allSettled([requests.request([settled()]), requests.request([settled()])]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  await requests.request([settled()]);

  expect(sent).toHaveLength(1);
});

it('settings that cannot be read count as existing', async () => {
  const sent: string[] = [];
  const requests = new CheckRequests({
    hasSettings: () => Promise.reject(new Error('The table is busy')),
    queue: () => ({ send: async (body) => void sent.push(body) }),
  });

  await requests.request([settled()]);

  expect(sent).toHaveLength(1);
});
