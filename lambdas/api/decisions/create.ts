import { decisionsRequestSchema } from '../../decisions/schema.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../messages/endpoint-signals.ts';
import { createDecision } from './create-decision.ts';

export const accepts = { body: decisionsRequestSchema, meanwhile: refreshSignals, exactWithin: ['max_price'] };

export const handler = defineEndpoint('create-decision', accepts, createDecision);
