import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { describeWire } from './contract.ts';

/** The contract runs for every wire of the catalog that can answer messages. A wire without streams fails. */
for (const name of messagesWires) describeWire(name, messagesWire(name)!);
