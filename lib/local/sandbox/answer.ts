import type { Script } from './script.ts';

/** Event in the format of a wire (API format); a string is sent unchanged. */
export type WireEvent = object | string;

export interface SandboxFraming {
  contentType: string;
  encode: (event: WireEvent) => Buffer;
  /** Invalid bytes that the directive `garbage` sends. */
  garbage: Buffer;
}

/** Converts the script of an answer to the events of a wire (API format). */
export interface WireWriter {
  framing: SandboxFraming;
  opening: (script: Script) => WireEvent[];
  block: (script: Script, index: number) => { start: WireEvent[]; pieces: WireEvent[][]; stop: WireEvent[] };
  closing: (script: Script) => WireEvent[];
  /** Returns the wire's error inside a stream. */
  error: () => WireEvent;
}

/** Events that the sandbox sends together; a delay may precede a `piece`. */
export interface SandboxMoment {
  part: 'opening' | 'start' | 'piece' | 'stop' | 'closing';
  /** Index in the script; undefined before and after the blocks. */
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
