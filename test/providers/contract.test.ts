import { messagesWires } from '../../lambdas/catalog/wires.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { describeWire } from './contract.ts';

/**
 * Every wire of the catalog that can answer messages is tested. The tests fail for a wire without files in `streams/`.
 */
for (const name of messagesWires) describeWire(name, messagesWire(name)!);
