import { wellFormedJson } from '../platform/json/well-formed.ts';
import type { WireRequest } from './wire.ts';

/** Returns a request with a JSON body. Lone surrogates in texts are replaced, so that the JSON is valid. */
export function jsonRequest(path: string, body: object): WireRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: wellFormedJson(body) };
}
