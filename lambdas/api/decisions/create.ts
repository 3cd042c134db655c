import { decisionsRequestSchema, exactWithin } from '../../decisions/schema.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { createDecision } from './create-decision.ts';

export const accepts = { body: decisionsRequestSchema, meanwhile: refreshSignals, exactWithin };

export const handler = defineEndpoint('create-decision', accepts, createDecision);
