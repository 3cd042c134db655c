import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { OTHER_CLIENT_MODEL } from './hostile-catalog.ts';
import { post, type RunningGateway } from './gateway.ts';
import type { HostileUpstream } from './hostile-upstream.ts';
import { readEvents, summarize } from './sse.ts';

const WORD_EVERY_MS = 50;

/** Starts an answer to another client, which continues while a test attacks the gateway. */
export async function startOtherClient(gateway: RunningGateway, upstream: HostileUpstream) {
  let count = 0;
  const done = new AbortController();
  const marker = upstream.behaves(async ({ dialect, begin, send, finish }) => {
    await begin();
    await send(dialect.opening());
    while (!done.signal.aborted && (await send(dialect.text(`word${count} `)))) {
      count += 1;
      await sleep(WORD_EVERY_MS);
    }
    await send(dialect.reason() + dialect.stop);
    await finish();
  });
  const response = await post(gateway, '/messages', {
    model: OTHER_CLIENT_MODEL,
    max_tokens: 50_000,
    stream: true,
    messages: [{ role: 'user', content: `Write until you are stopped. ${marker}` }],
  });
  const reading = readEvents(response).catch((error: unknown) => error as Error);
  return {
    /** Ends the answer, and checks that no part of it was lost. */
    async expectIntact(): Promise<void> {
      done.abort();
      const events = await reading;
      if (events instanceof Error) throw events;
      const { text, stopReason } = summarize(events);
      expect(stopReason, `its last events: ${JSON.stringify(events.slice(-3))}`).toBe('end_turn');
      expect(text).toBe(Array.from({ length: count }, (_, index) => `word${index} `).join(''));
      expect(count).toBeGreaterThan(0);
    },
  };
}
