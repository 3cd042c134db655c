/**
 * Facts about a wire that the measurement needs: the place of its recordings, and functions that read them without the
 * gateway's code.
 */

import type { MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import type { MessagesEvent } from '../../../lambdas/messages/types.ts';
import type { Interaction } from './interactions.ts';
import type { Said } from './said.ts';

/** Reader of the recordings of a wire, which this gateway need not support. */
export interface AnyWireRow {
  wire: string;
  /** Matches the addresses of the wire's endpoints, without their query. */
  address: RegExp;
  /** Whether an event belongs to this wire. One of the first events of every stream must match. */
  isEvent: (event: Record<string, unknown>) => boolean;
  isDocument: (document: Record<string, unknown>) => boolean;
  /** Content type of the wire's streams. */
  streamType: string;
  /** Returns a stream as the provider sends it, made from recorded events. */
  frame: (lines: string[]) => Buffer;
  /** Returns the content of an answer, read in the simplest way. */
  read: (interaction: Interaction) => Said;
  /**
   * Returns the events of a recorded stream as they must be passed on. Only wires whose events pass through unchanged
   * have this function.
   */
  keepsEvents?: (interaction: Interaction) => MessagesEvent[];
  /** Converts a recorded request back to an equivalent request of the Messages API. */
  readRequest: (body: Record<string, unknown>, uri: string) => ReadRequest;
  /** Returns the provider's catalog id, if its quirks apply, and further quirks of the recorded endpoint. */
  endpoint: (provider: string, model: string) => { catalogId?: string; quirks?: object };
  /** Fields that the gateway sends although no recording has them. */
  documented: DocumentedField[];
}

export interface WireRow extends AnyWireRow {
  wire: MessagesWireName;
}

export interface ReadRequest {
  request: Record<string, unknown>;
  /** Fields that have no equivalent in the Messages API. */
  unsaid: string[];
}

interface DocumentedField {
  /** Providers as the recordings name them; by default all providers of the wire. */
  providers?: string[];
  /** Text of the schema's complaint about the field. */
  complaint: string;
  /** Reason for sending the field, and the provider's documentation that allows it. */
  reason: string;
}
