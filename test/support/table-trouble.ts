/** A table with all faults at once, for tests of whole gateways. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamodbCall, FaultProxy, TableFault } from './fault-proxy.ts';

/** One call in four has a fault. */
const fates: [share: number, fate: TableFault][] = [
  [0.08, 'throttle'],
  [0.06, 'lost-reply'],
  [0.05, 'conflict'],
  [0.04, 'delayed'],
  [0.02, 'unavailable'],
];
/** A delayed call happens after its client has given up. */
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

/** Injects faults through a proxy until it is stopped; then all delayed calls arrive. */
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
