/** Fields of tool calls in a conversation, in every form that servers and agents are known to write. */

import * as z from 'zod';
import { anyObject, optionalField } from '../messages/field-kinds.ts';

/** Id of a call. Some servers number their calls, and some agents send the number back. */
export const numberedCallId = z.union([z.string().min(1), z.int()], { error: 'must be a text that is not empty' });

/** Arguments of a call: a text of JSON, or the object itself, as agents of Ollama's own API have it. */
export const sentArguments = optionalField(z.union([z.string(), anyObject], { error: 'must be a text of JSON' }));
