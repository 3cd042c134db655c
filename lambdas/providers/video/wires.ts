import type { Wire } from '../../catalog/wires.ts';
import type { VideoWire } from './wire.ts';

const codecs: Partial<Record<Wire, VideoWire>> = {};

/** The codec of a wire that makes videos; undefined for wires of other kinds of models. */
export function videoWire(wire: Wire): VideoWire | undefined {
  return codecs[wire];
}
