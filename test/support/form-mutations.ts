/** Mutations of forms (`multipart/form-data`): of their parts, of files, and of the bytes of the form. */

import fc, { type Arbitrary } from 'fast-check';
import type { SentBody } from './mutations.ts';

export interface FormPart {
  name: string;
  value: string | Buffer;
  /** Name of the file; without it, the part is a text. */
  fileName?: string;
}

const BOUNDARY = '----mutated';

const names = [
  '',
  '[]',
  'a[',
  'file',
  'file[]',
  'image',
  'image[a]',
  'mask',
  'stream',
  'provider',
  'provider[only][]',
  'languages[]',
  'temperature',
  'n',
  'a[b][c][d][e]',
  '__proto__[x]',
  'constructor',
  'x\r\ny',
  'n'.repeat(300),
  'ключ',
];
const texts = [
  '',
  ' ',
  'null',
  'true',
  '0',
  '-1',
  '1e400',
  '[]',
  '{}',
  '{"only":["x"]}',
  '{"max_price":1e400}',
  '['.repeat(500),
  '\u0000',
  '💸',
  'a'.repeat(3_000),
  `\r\n--${BOUNDARY}--`,
];

type PartMutation = (part: FormPart, others: { text: string; name: string; at: number }) => FormPart[];

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[at % copy.length]! ^= 1 << (at % 8);
  return copy;
}

const cut = (bytes: Buffer, at: number) => bytes.subarray(0, at % (bytes.length + 1));
const bytesOf = ({ value }: FormPart) => Buffer.from(value as string);

const partMutations: PartMutation[] = [
  () => [],
  (part) => [part, part],
  (part) => Array.from({ length: 300 }, () => part),
  (part, { name }) => [{ ...part, name }],
  (part, { name, text }) => [part, { name, value: text }],
  (part, { text }) => [{ ...part, value: text }],
  (part, { text }) => [{ ...part, fileName: text.slice(0, 100) }],
  ({ name, value }) => [{ name, value }],
  (part, { at }) => [{ ...part, value: cut(bytesOf(part), at) }],
  (part, { at }) => [{ ...part, value: flipped(bytesOf(part), at) }],
  // A change at the beginning of a recording or an image has the most effect.
  (part, { at }) => [{ ...part, value: flipped(bytesOf(part), at % 64) }],
];

const formMutations: ((form: Buffer, at: number) => Buffer)[] = [
  (form) => form,
  (form) => form,
  (form) => form,
  cut,
  flipped,
  (form, at) => Buffer.concat([cut(form, at), Buffer.from(`\r\n--${BOUNDARY}\r\n`), form.subarray(at % form.length)]),
];

/** Returns the form as clients write it. */
export function formWith(parts: readonly FormPart[]): SentBody {
  const bytes = parts.flatMap(({ name, value, fileName }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: application/octet-stream`;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...bytes, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { body, contentType: `multipart/form-data; boundary=${BOUNDARY}` };
}

/** Generates one of the given forms with one to three changes of parts, and sometimes of bytes. */
export function mutatedForms(bases: readonly (readonly FormPart[])[]): Arbitrary<SentBody> {
  const mutation = fc.record({
    mutate: fc.constantFrom(...partMutations),
    text: fc.constantFrom(...texts),
    name: fc.constantFrom(...names),
    at: fc.nat(10_000),
  });
  return fc
    .record({
      base: fc.constantFrom(...bases),
      mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
      inForm: fc.constantFrom(...formMutations),
      at: fc.nat(10_000),
    })
    .map(({ base, mutations, inForm, at }) => {
      const parts = mutations.reduce(mutateOne, [...base]);
      const { body, contentType } = formWith(parts);
      return { body: inForm(body as Buffer, at), contentType };
    });
}

function mutateOne(
  parts: FormPart[],
  { mutate, ...others }: { mutate: PartMutation; text: string; name: string; at: number },
): FormPart[] {
  if (parts.length === 0) return parts;
  const place = others.at % parts.length;
  return parts.toSpliced(place, 1, ...mutate(parts[place]!, others));
}
