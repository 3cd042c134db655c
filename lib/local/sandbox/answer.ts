/** Answers of the sandbox before serialization: the events of a wire (API format), in groups that are sent together. */

import type { Script } from './script.ts';

/** Event in the format of a wire. A string is sent unchanged. */
export type WireEvent = object | string;

/** Serialization of a wire's events. */
export interface SandboxFraming {
  contentType: string;
  encode: (event: WireEvent) => Buffer;
  /** Invalid bytes that the directive `garbage` sends between two events. */
  garbage: Buffer;
}

/** Converts the script of an answer, which is independent of the wire, to the events of a wire. */
export interface WireWriter {
  framing: SandboxFraming;
  opening: (script: Script) => WireEvent[];
  block: (script: Script, index: number) => { start: WireEvent[]; pieces: WireEvent[][]; stop: WireEvent[] };
  closing: (script: Script) => WireEvent[];
  /** Returns the event with which this wire reports an error inside a stream. */
  error: () => WireEvent;
}

/** Group of events that the sandbox sends together. If `part` is `piece`, a delay may precede the group. */
export interface SandboxMoment {
  part: 'opening' | 'start' | 'piece' | 'stop' | 'closing';
  /** Index in the script of the block to which the events belong; undefined before and after the blocks. */
  block?: number;
  events: WireEvent[];
}

export function momentsOf(script: Script, writer: WireWriter): SandboxMoment[] {
  const blocks = [...script.blocks.keys()].flatMap((block): SandboxMoment[] => {
    const { start, pieces, stop } = writer.block(script, block);
    return [
      { part: 'start', block, events: start },
      ...pieces.map((events): SandboxMoment => ({ part: 'piece', block, events })),
      { part: 'stop', block, events: stop },
    ];
  });
  return [
    { part: 'opening', events: writer.opening(script) },
    ...blocks,
    { part: 'closing', events: writer.closing(script) },
  ];
}
