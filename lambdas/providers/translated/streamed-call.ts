import { CALL_OVERHEAD_BYTES } from '../../messages/usage-counts.ts';
import { newCallId } from './call-ids.ts';
import { JsonProgress } from './json-progress.ts';

/** A piece of a tool call. The first piece usually has a name; later pieces often have neither an id nor a name. */
export interface ToolCallPiece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
}

export interface StreamedCall {
  index: number | undefined;
  id: string;
  /** Id in the pieces of the call. Several calls may have the same id. */
  sentId: string | undefined;
  name: string;
  progress: JsonProgress;
  /** Received arguments that are not written to the client yet. */
  unwritten: string;
  /** Whether any arguments were written. */
  begun: boolean;
  /** Whether the call's block is closed, so that no more arguments can be written. */
  closed: boolean;
}

/** @param isRepeated whether an earlier call has the same id */
export function beginCall({ index, id }: ToolCallPiece, name: string, isRepeated: boolean): StreamedCall {
  return {
    index,
    id: id === undefined || isRepeated ? newCallId() : id,
    sentId: id,
    name,
    progress: new JsonProgress(),
    unwritten: '',
    begun: false,
    closed: false,
  };
}

/** Returns the estimated bytes of a call besides its arguments: its name, and the longer of its id and a fixed size. */
export function announcedBytes({ id, name }: StreamedCall): number {
  return Math.max(CALL_OVERHEAD_BYTES, Buffer.byteLength(id)) + Buffer.byteLength(name);
}

/** Returns whether arguments are those of a call without arguments: providers send "", "null", "{}" or nothing. */
export function isEmptyObject(json: string): boolean {
  return /^(?:null|\{\s*\})?$/.test(json.trim());
}
