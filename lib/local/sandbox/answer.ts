/** An answer before it is bytes: what a wire says, event by event, in the moments in which it is sent. */

import type { Script } from './script.ts';

/** An event in a wire's own words; a text stands as it is. */
export type WireEvent = object | string;

/** How the events of a wire become bytes. */
export interface SandboxFraming {
  contentType: string;
  encode: (event: WireEvent) => Buffer;
  /** Bytes in the place of an event that nobody can read. */
  garbage: Buffer;
}

/** How a wire says a script. */
export interface WireWriter {
  framing: SandboxFraming;
  opening: (script: Script) => WireEvent[];
  block: (script: Script, index: number) => { start: WireEvent[]; pieces: WireEvent[][]; stop: WireEvent[] };
  closing: (script: Script) => WireEvent[];
  /** Its form of an error inside a stream. */
  error: () => WireEvent;
}

/** What is sent at once. Pieces may be delayed. */
export interface SandboxMoment {
  part: 'opening' | 'start' | 'piece' | 'stop' | 'closing';
  /** Position of its block in the script; undefined before and after the blocks. */
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
