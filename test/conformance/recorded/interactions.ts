/** Recorded interactions with providers, and the wire of each. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessagesWireName } from '../../../lambdas/catalog/wires.ts';
import { eventData } from './said.ts';
import type { WireRow } from './wire-row.ts';

export interface Answer {
  kind: 'stream' | 'document' | 'refusal';
  bytes: Buffer;
}

export interface Interaction {
  name: string;
  provider: string;
  wire: MessagesWireName;
  /** Recorded request; undefined if only the answer was recorded. */
  request: { uri: string; body: unknown } | undefined;
  answer: Answer;
}

export interface Fixtures {
  interactions: Interaction[];
  /** Number of recordings that belong to no wire of the gateway, by endpoint or kind of file. */
  others: Map<string, number>;
}

const fixtures = fileURLToPath(new URL('../../../../shared/fixtures/', import.meta.url));
/** Examples that were written by hand, for another gateway. */
const synthetic = 'gpt2giga';
export const hasRecordings = existsSync(fixtures);

/** Returns the recordings; none if the fixtures are not present. */
export function findInteractions(rows: readonly WireRow[]): Fixtures {
  const found: Fixtures = { interactions: [], others: new Map() };
  if (!hasRecordings) return found;
  for (const folder of foldersIn(fixtures).filter((name) => name !== synthetic)) {
    if (folder === 'recorded-http')
      for (const provider of foldersIn(join(fixtures, folder))) addHttp(found, provider, rows);
    else addFolder(found, folder, rows);
  }
  return found;
}

function foldersIn(path: string): string[] {
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).toSorted();
}

interface Recorded {
  interactions: {
    request: { uri: string; body?: unknown };
    response: { status: number; headers: Record<string, unknown>; body: string | { base64: string } };
  }[];
}

function addHttp({ interactions, others }: Fixtures, folder: string, rows: readonly WireRow[]): void {
  const root = join(fixtures, 'recorded-http', folder);
  for (const file of readdirSync(root).toSorted()) {
    const recorded = JSON.parse(readFileSync(join(root, file), 'utf8')) as Recorded;
    for (const [index, { request, response }] of recorded.interactions.entries()) {
      const address = request.uri.split('?')[0]!;
      const row = rows.find(({ address: own }) => own.test(address));
      if (!row) {
        count(others, otherEndpoint(address));
        continue;
      }
      const { body } = response;
      interactions.push({
        name: `${folder}/${basename(file, '.json')}#${index}`,
        provider: providerAt(address) ?? providerOf(folder),
        wire: row.wire,
        request: { uri: request.uri, body: request.body },
        answer: {
          kind: response.status >= 400 ? 'refusal' : isStream(response.headers) ? 'stream' : 'document',
          bytes: typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64'),
        },
      });
    }
  }
}

/** Returns the provider of a folder. A provider with several wires has a folder for each wire. */
function providerOf(folder: string): string {
  return folder.replace(/-(chat|responses)$/, '');
}

/** Returns the provider of an address of Azure or Bedrock. Some folders contain such addresses of another provider. */
function providerAt(address: string): string | undefined {
  if (address.includes('.ai.azure.com/')) return 'azure';
  return address.includes('//bedrock-runtime') ? 'bedrock' : undefined;
}

function otherEndpoint(address: string): string {
  return address.replace(/^https:\/\//, '').replace(/\/(models?|projects)\/[^/:]+(?=[/:])(.*\/[^/:]+(?=:))?/, '/$1/…');
}

function isStream(headers: Record<string, unknown>): boolean {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  return /event-?stream/.test(String(type));
}

function addFolder({ interactions, others }: Fixtures, folder: string, rows: readonly WireRow[]): void {
  const root = join(fixtures, folder);
  for (const file of readdirSync(root).toSorted()) {
    const text = readFileSync(join(root, file), 'utf8');
    const found = file.endsWith('.json') ? documentIn(text, rows) : streamIn(text, file.endsWith('.chunks.txt'), rows);
    if (!found) count(others, `${folder}/*.${file.split('.').at(-1)}`);
    else {
      interactions.push({
        name: `${folder}/${file}`,
        provider: providerOf(folder),
        wire: found.row.wire,
        request: undefined,
        answer: found.answer,
      });
    }
  }
}

interface Found {
  row: WireRow;
  answer: Answer;
}

function documentIn(text: string, rows: readonly WireRow[]): Found | undefined {
  const document = JSON.parse(text) as Record<string, unknown>;
  const row = rows.find(({ isDocument }) => isDocument(document));
  return row && { row, answer: { kind: 'document', bytes: Buffer.from(text) } };
}

/**
 * Reads a stream; undefined if it belongs to no wire.
 * @param areLines whether the text has one event per line as JSON, without the provider's framing
 */
function streamIn(text: string, areLines: boolean, rows: readonly WireRow[]): Found | undefined {
  const lines = areLines ? text.split('\n').filter((line) => line.trim() !== '') : undefined;
  const events = lines?.map(parseLine).filter((event) => event !== undefined) ?? eventData(text);
  const row = rows.find(({ isEvent }) => events.slice(0, 3).some(isEvent));
  return row && { row, answer: { kind: 'stream', bytes: lines ? row.frame(lines) : Buffer.from(text) } };
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
