import type { ClassifiedError } from './classify.ts';

/**
 * Matches the two beginnings of error messages that agents understand. After the first, agents shorten the
 * conversation; after the second, they request less output.
 */
const KNOWN_FORM =
  /^(?:prompt is too long: \d+ tokens > \d+ maximum|input length and [`'"]?max_tokens[`'"]? exceed context limit: \d+)/i;

/**
 * Messages of vLLM, OpenAI and DeepSeek for a prompt that fits into the context by itself, but not together with the
 * output limit.
 */
const OUTPUT_TOO_LONG = [
  /too large: (?<output>[\d,]+)\. This model's maximum context length is (?<limit>[\d,]+) tokens and your request has (?<input>[\d,]+) input tokens/i,
  /maximum context length is (?<limit>[\d,]+) tokens[\s\S]{0,60}requested [\d,]+ tokens \((?<input>[\d,]+) in (?:the|your) (?:messages|prompt)[,;] (?<output>[\d,]+) (?:in|for) the completion\)/i,
];

/**
 * Returns the error message for an exceeded context. It begins with one of two texts that agents understand (Claude
 * Code, Codex, opencode, Cline, pi). After the first text, agents shorten the conversation; after the second, they
 * request less output. The provider's own message follows. Numbers are taken from that message, if it has them.
 */
export function overflowMessage({ rule }: ClassifiedError, message: string): string {
  if (KNOWN_FORM.test(message)) return message;
  const output = outputOverflow(message);
  if (output !== undefined) return `${output}. ${message}`;
  const { asked, limit, over } = rule?.message?.exec(message)?.groups ?? {};
  const most = numberOf(limit);
  const more = numberOf(over);
  const sent = numberOf(asked) ?? (most === undefined || more === undefined ? undefined : most + more);
  const numbers = sent !== undefined && most !== undefined && sent > most ? `: ${sent} tokens > ${most} maximum` : '';
  const saysSo = numbers === '' && /^prompt is too long/i.test(message);
  return saysSo ? message : `prompt is too long${numbers}. ${message}`;
}

function outputOverflow(message: string): string | undefined {
  for (const form of OUTPUT_TOO_LONG) {
    const { input, output, limit } = form.exec(message)?.groups ?? {};
    const [sent = 0, requested = 0, most = 0] = [input, output, limit].map(numberOf);
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
