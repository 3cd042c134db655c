/** Injects all faults of a table at once, for tests of whole gateways. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamodbCall, FaultProxy, TableFault } from './fault-proxy.ts';

/** Together, one call in four has a fault. */
const fates: [share: number, fate: TableFault][] = [
  [0.08, 'throttle'],
  [0.06, 'lost-reply'],
  [0.05, 'conflict'],
  [0.04, 'delayed'],
  [0.02, 'unavailable'],
];
/** Time in ms between two deliveries of delayed calls, whose clients have stopped waiting. */
const DELIVER_EVERY_MS = 700;
const LATE_SHARE = 0.03;
const LATE_MS = 1_200;

function anyFate({ action }: DynamodbCall): TableFault {
  let left = Math.random();
  for (const [share, fate] of fates) {
    left -= share;
    if (left >= 0) continue;
    // Reads do not conflict, and a late read has no effect.
    const isRead = /^(?:Get|BatchGet|Query)/.test(action);
    return isRead && (fate === 'delayed' || fate === 'conflict') ? 'throttle' : fate;
  }
  return undefined;
}

/** Injects faults until the returned function is called; then all delayed requests take effect. */
export function startTrouble(proxy: FaultProxy): () => Promise<void> {
  proxy.faultFor = anyFate;
  proxy.before = async () => void (Math.random() < LATE_SHARE && (await sleep(LATE_MS)));
  const deliveries = setInterval(() => void proxy.deliver(), DELIVER_EVERY_MS);
  return async () => {
    clearInterval(deliveries);
    proxy.faultFor = () => undefined;
    proxy.before = () => undefined;
    await proxy.deliver();
  };
}
