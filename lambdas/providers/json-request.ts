import { wellFormedJson } from '../platform/json/well-formed.ts';
import type { WireRequest } from './wire.ts';

/** A request with a JSON body, without lone surrogates. */
export function jsonRequest(path: string, body: object): WireRequest {
  return { path, headers: { 'content-type': 'application/json' }, body: wellFormedJson(body) };
}
