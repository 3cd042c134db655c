import type { ClassifiedError } from './classify.ts';

/** Matches an error message that already has one of the two beginnings that agents understand. */
const KNOWN_FORM =
  /^(?:prompt is too long: \d+ tokens > \d+ maximum|input length and [`'"]?max_tokens[`'"]? exceed context limit: \d+)/i;

/**
 * Messages with three numbers: the context, the prompt and the output limit. They are from vLLM (two versions), and from
 * OpenAI, DeepSeek, OpenRouter, Together and SGLang (https://github.com/anomalyco/opencode/issues/25231).
 */
const ALL_NUMBERS = [
  /too large: (?<output>[\d,]+)\. This model's maximum context length is (?<limit>[\d,]+) tokens and your request has (?<input>[\d,]+) input tokens/i,
  // Source: https://github.com/earendil-works/pi/pull/5929
  /context length is (?<limit>[\d,]+) tokens[\s\S]{0,40} requested (?<output>[\d,]+) output tokens and your prompt contains (?:at least )?(?<input>[\d,]+) input tokens/i,
  /(?:context length (?:is|of)|must be <=) (?<limit>[\d,]+)[\s\S]{0,90}?[(:] ?(?<input>[\d,]+) (?:in (?:the|your) (?:messages|prompt)|tokens from the input messages|of text input|[`'"]?inputs[`'"]? tokens)(?:, (?<tools>[\d,]+) of tool input)?\W+(?:and )?(?<output>[\d,]+)/i,
];

/**
 * Words of OpenAI's APIs: LangChain looks for the first in streamed errors, and Pydantic AI for the second in errors
 * without OpenAI's code.
 */
const OPENAI_WORDS = ['exceeds the context window', 'maximum context length'];
const OPENAI_SENTENCE = "(This request exceeds the context window: the model's maximum context length.)";

/** Returns the error message for an exceeded context, with the texts by which agents and frameworks recognize it. */
export function overflowMessage(classified: ClassifiedError, message: string): string {
  const text = withKnownBeginning(classified, message);
  return OPENAI_WORDS.every((words) => text.includes(words)) ? text : `${text} ${OPENAI_SENTENCE}`;
}

/**
 * Returns the message with one of two beginnings that agents understand: after the first, they shorten the
 * conversation; after the second, they request less output.
 */
function withKnownBeginning({ rule }: ClassifiedError, message: string): string {
  if (KNOWN_FORM.test(message)) return message;
  const numbered = numberedOverflow(message);
  if (numbered !== undefined) return `${numbered}. ${message}`;
  const { asked, limit, over } = rule?.message?.exec(message)?.groups ?? {};
  const most = numberOf(limit);
  const more = numberOf(over);
  const sent = numberOf(asked) ?? (most === undefined || more === undefined ? undefined : most + more);
  const numbers = sent !== undefined && most !== undefined && sent > most ? `${sent} tokens > ${most} maximum. ` : '';
  const saysSo = numbers === '' && /^prompt is too long/i.test(message);
  return saysSo ? message : `prompt is too long: ${numbers}${message}`;
}

/** Returns the text that agents understand; undefined if the message does not have all numbers. */
function numberedOverflow(message: string): string | undefined {
  for (const form of ALL_NUMBERS) {
    const { input, tools = '0', output, limit } = form.exec(message)?.groups ?? {};
    const [prompt = 0, ofTools = 0, requested = 0, most = 0] = [input, tools, output, limit].map(numberOf);
    const sent = prompt + ofTools;
    if (sent > most) return `prompt is too long: ${sent} tokens > ${most} maximum`;
    if (sent > 0 && sent < most && sent + requested > most) {
      return `input length and \`max_tokens\` exceed context limit: ${sent} + ${requested} > ${most}, decrease input length or \`max_tokens\` and try again`;
    }
  }
  return undefined;
}

function numberOf(digits: string | undefined): number | undefined {
  const number = digits === undefined ? NaN : Number(digits.replaceAll(',', ''));
  return Number.isSafeInteger(number) ? number : undefined;
}
