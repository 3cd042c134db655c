import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { describeWire } from './contract.ts';

/** The tests fail for a wire without files in `streams/`. */
for (const name of messagesWires) describeWire(name, messagesWire(name)!);
