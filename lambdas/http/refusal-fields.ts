import { Money } from '../money/money.ts';
import type { GatewayError } from '../platform/errors.ts';
import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import type { RefusedAmounts } from '../store/generations/refusals.ts';

/** Patterns of names. They do not match sentences or long values, which may be content of a request. */
const FIELD = /^[\w-]{1,40}(?:\.[\w-]{1,40}){0,12}$/;
const MODEL = /^[\w.:/@[\]-]{1,100}$/;
/** Matches keys, because a client may send its key by mistake as the name of a model. */
const KEY = /(?:^|[^A-Za-z0-9])(?:c?sk|mk|rk|pk|xai|gsk|hf|pplx|nvapi|AIza|eyJ)[-_]?[\w-]{24,}/;

/** Names that the client chose for its questions and options. They are part of the prompt. */
const QUESTION_NAMES = /(?<=^questions)\..*/s;

/** Reason of a refusal, without content of the request except the names of a field and a model, so it may be logged. */
export interface RefusalFields {
  kind: string;
  field?: string;
  limit?: string;
  model?: string;
}

const MAX_READ_AGAIN = 256 * 1024;

/**
 * Returns the validated body, or else the body as parsed without its schema. Undefined if it is too long or is not
 * JSON.
 * @param text the body as received
 */
export function readAsFarAsMayBe(body: unknown, text: string): unknown {
  if (body !== undefined || text.length > MAX_READ_AGAIN) return body;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the fields of a refusal that may be logged.
 * @param body body of the request, if it was parsed
 */
export function refusalFields({ kind, metadata }: GatewayError, body: unknown): RefusalFields {
  const { field: place, limit_source: limit } = metadata;
  const field = typeof place === 'string' ? place.replace(QUESTION_NAMES, '') : '';
  // A converted request of OpenAI's APIs has its model in `message`.
  const { message, model_id, model = model_id ?? recordOrEmpty(message)['model'] } = recordOrEmpty(body);
  return {
    kind,
    ...(FIELD.test(field) ? { field } : {}),
    ...(typeof limit === 'string' ? { limit } : {}),
    ...(typeof model === 'string' && MODEL.test(model) && !KEY.test(model) ? { model } : {}),
  };
}

/** Returns the amounts of the limit that refused a request; undefined if the reason was not a rouble limit. */
export function refusedAmounts({ metadata }: GatewayError): RefusedAmounts | undefined {
  const { interval } = metadata;
  const names = ['limit_rub', 'spend_rub', 'held_rub', 'remaining_rub', 'required_rub'];
  const texts = names.flatMap((name) => (typeof metadata[name] === 'string' ? [metadata[name]] : []));
  if (typeof interval !== 'string' || texts.length < names.length) return undefined;
  const [limit, spent, held, left, required] = texts.map((text) => Money.parse(text)) as [
    Money,
    Money,
    Money,
    Money,
    Money,
  ];
  return { interval, limit, spent, held, left, required };
}
