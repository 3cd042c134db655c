/** Bits in the order and codes of H.264: the first one is the highest, numbers are Exp-Golomb. */
export interface BitWriter {
  bits: (value: number, count: number) => void;
  /** ue(v) */
  unsigned: (value: number) => void;
  /** se(v) */
  signed: (value: number) => void;
  /** Whole bytes, from the next one on; zeros before it. */
  bytes: (values: Uint8Array) => void;
  /** Ends with a one, and zeros to a whole byte. */
  finish: () => Buffer;
}

export function bitWriter(): BitWriter {
  const chunks: Uint8Array[] = [];
  let open: number[] = [];
  let byte = 0;
  let filled = 0;
  const bits = (value: number, count: number) => {
    for (let index = count - 1; index >= 0; index -= 1) {
      byte = (byte << 1) | ((value >> index) & 1);
      filled += 1;
      if (filled < 8) continue;
      open.push(byte);
      byte = 0;
      filled = 0;
    }
  };
  const unsigned = (value: number) => {
    const length = 32 - Math.clz32(value + 1);
    bits(0, length - 1);
    bits(value + 1, length);
  };
  const align = () => bits(0, (8 - filled) % 8);
  return {
    bits,
    unsigned,
    signed: (value) => unsigned(value > 0 ? 2 * value - 1 : -2 * value),
    bytes(values) {
      align();
      chunks.push(Uint8Array.from(open), values);
      open = [];
    },
    finish() {
      bits(1, 1);
      align();
      return Buffer.concat([...chunks, Uint8Array.from(open)]);
    },
  };
}
