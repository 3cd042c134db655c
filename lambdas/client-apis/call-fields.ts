import * as z from 'zod';
import { anyObject, optionalField } from '../messages/field-kinds.ts';

/**
 * Id of a call: a text or an integer. Some servers number their calls, and some agents send these ids back as integers.
 */
export const numberedCallId = z.union([z.string().min(1), z.int()], { error: 'must be a text that is not empty' });

/** Arguments of a call: a JSON text or, from agents for Ollama's own API, an object. */
export const sentArguments = optionalField(z.union([z.string(), anyObject], { error: 'must be a text of JSON' }));
