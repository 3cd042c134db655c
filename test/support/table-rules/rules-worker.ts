/**
 * Enforces the rules of DynamoDB as long as the emulator runs. Arguments: the port of the emulator and its own port.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { startRulesProxy } from './rules-proxy.ts';
import { RULES_VARIABLE, rulesFrom } from './settings.ts';

const LOOK_EVERY_MS = 200;

const emulator = process.ppid;
const [target, port] = process.argv.slice(2).map(Number) as [number, number];
await startRulesProxy(`http://127.0.0.1:${target}`, { ...rulesFrom(process.env[RULES_VARIABLE]), port });
// If the parent has changed, the emulator has ended.
while (process.ppid === emulator) await sleep(LOOK_EVERY_MS);
process.exit();
