import { describe, expect, it } from 'vitest';
import { BacklogWatch } from '../../lambdas/accounting/backlog.ts';
import type { QueueLevels } from '../../lambdas/platform/queues/queue-levels.ts';

const MINUTE_MS = 60_000;
const empty: QueueLevels = { waiting: 0, inFlight: 0, dead: 0 };

/** Lets a watch read these message counts of a queue, one a minute, and returns its results. */
function lookAt(...levels: Partial<QueueLevels>[]) {
  const watch = new BacklogWatch();
  return levels.map((level, minute) => watch.look({ ...empty, ...level }, minute * MINUTE_MS));
}

describe('the backlog of a queue', () => {
  it('is empty after three empty checks in a row', () => {
    expect(lookAt({}, {}, {}, {})).toEqual(['waiting', 'waiting', 'none', 'none']);
  });

  it('is not empty if a message was seen between empty checks', () => {
    expect(lookAt({}, { waiting: 1 }, {}, {}, {})).toEqual(['waiting', 'waiting', 'waiting', 'waiting', 'none']);
  });

  it('stops being empty with the first message', () => {
    expect(lookAt({}, {}, {}, { waiting: 1 })).toEqual(['waiting', 'waiting', 'none', 'waiting']);
  });

  it('is flowing while messages are in process and none waits', () => {
    expect(lookAt({ inFlight: 5 }, { inFlight: 3 }, { inFlight: 9 })).toEqual(['waiting', 'waiting', 'flowing']);
  });

  it('is not flowing while dead letters wait for a person', () => {
    expect(lookAt({ dead: 1 }, { dead: 1 }, { dead: 1 }, { dead: 1 })).toEqual(Array(4).fill('waiting'));
  });

  it('becomes empty only some time after it was flowing', () => {
    expect(lookAt({}, {}, { inFlight: 1 }, {}, {}, {})).toEqual([
      'waiting',
      'waiting',
      'flowing',
      'flowing',
      'flowing',
      'none',
    ]);
  });

  it('becomes unknown after some time without a check', () => {
    const watch = new BacklogWatch();
    expect([0, 1, 2].map((minute) => watch.look(empty, minute * MINUTE_MS)).at(-1)).toBe('none');
    expect(watch.look(empty, 10 * MINUTE_MS)).toBe('waiting');
  });
});
