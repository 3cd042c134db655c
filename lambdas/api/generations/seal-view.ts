import type { SealProof } from '../../books/seals/proofs.ts';
import type { GenerationBody } from './shape.ts';

/** Converts a proof to the API's format. Hashes are in hexadecimal. */
export function sealView({ day, lines }: SealProof): NonNullable<GenerationBody['seals']>[number] {
  return {
    date: day.date,
    statement_sha256: day.sha256,
    root: day.root,
    leaf_count: day.leaves,
    lines: lines.map(({ index, leaf, path, line }) => ({
      line: line ?? null,
      leaf: leaf.toString('hex'),
      index,
      path: path.map((hash) => hash.toString('hex')),
    })),
  };
}
