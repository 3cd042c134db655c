/** Facts about a wire, and functions that read its recordings without the gateway's code. */

import type { MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import type { MessagesEvent } from '../../../lambdas/messages/types.ts';
import type { Interaction } from './interactions.ts';
import type { Said } from './said.ts';

/** Reader of the recordings of a wire, which this gateway need not support. */
export interface AnyWireRow {
  wire: string;
  /** Addresses of the wire's endpoints, without their query. */
  address: RegExp;
  /** Whether an event is of this wire. This must be true for one of the first events of every stream. */
  isEvent: (event: Record<string, unknown>) => boolean;
  isDocument: (document: Record<string, unknown>) => boolean;
  streamType: string;
  /** Returns a stream as the provider sends it, made from recorded events. */
  frame: (lines: string[]) => Buffer;
  read: (interaction: Interaction) => Said;
  /** Events of a stream as they must be passed on, for wires whose events pass through unchanged. */
  keepsEvents?: (interaction: Interaction) => MessagesEvent[];
  /** Converts a recorded request to an equivalent request of the Messages API. */
  readRequest: (body: Record<string, unknown>, uri: string) => ReadRequest;
  /** Returns the provider's catalog id, if its quirks apply, and further quirks. */
  endpoint: (provider: string, model: string) => { catalogId?: string; quirks?: object };
  /** Fields that the gateway sends although no recording has them. */
  documented: DocumentedField[];
}

export interface WireRow extends AnyWireRow {
  wire: MessagesWireName;
}

export interface ReadRequest {
  request: Record<string, unknown>;
  /** Fields without an equivalent in the Messages API. */
  unsaid: string[];
}

interface DocumentedField {
  /** Names of providers in the recordings; default: all providers of the wire. */
  providers?: string[];
  /** The schema's complaint about the field. */
  complaint: string;
  /** Reason for sending the field, and the provider's documentation that allows it. */
  reason: string;
}
