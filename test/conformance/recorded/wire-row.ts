/** What the measurement has to know of a wire: where its recordings are, and how to read them without the gateway's code. */

import type { MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import type { MessagesEvent } from '../../../lambdas/messages/types.ts';
import type { Interaction } from './interactions.ts';
import type { Said } from './said.ts';

/** Of a wire that this gateway may not have. */
export interface AnyWireRow {
  wire: string;
  /** Addresses at which it is spoken, without their query. */
  address: RegExp;
  /** Among the first events of a stream of this wire, one is this. */
  isEvent: (event: Record<string, unknown>) => boolean;
  isDocument: (document: Record<string, unknown>) => boolean;
  /** The content type of its streams. */
  streamType: string;
  /** A stream as the provider sends it, of which only the events were kept. */
  frame: (lines: string[]) => Buffer;
  /** What an answer says, read in the plainest way there is. */
  read: (interaction: Interaction) => Said;
  /** Of a wire whose events pass through: those of a recorded stream, as they have to come out. */
  keepsEvents?: (interaction: Interaction) => MessagesEvent[];
  /** The Messages request that says the same as a recorded one. */
  readRequest: (body: Record<string, unknown>, uri: string) => ReadRequest;
  /** The recorded endpoint: its provider in the catalog, whose quirks it then has, and quirks of its own. */
  endpoint: (provider: string, model: string) => { catalogId?: string; quirks?: object };
  /** What we send although no recording has it. */
  documented: DocumentedField[];
}

export interface WireRow extends AnyWireRow {
  wire: MessagesWireName;
}

export interface ReadRequest {
  request: Record<string, unknown>;
  /** Fields that the Messages API has no word for. */
  unsaid: string[];
}

interface DocumentedField {
  /** Providers as the recordings name them; all of the wire where absent. */
  providers?: string[];
  /** As in a complaint of the schema. */
  complaint: string;
  /** Why we send it, and where the provider says that it takes it. */
  reason: string;
}
