/** Events of OpenAI's API. The last event contains the whole text, the billed units and, if final, their cost. */

import { finalCost, type Charged } from '../../accounting/charge.ts';
import { promptTokens } from '../../accounting/usage.ts';
import type { Money } from '../../money/money.ts';
import { sseEvent } from '../../platform/sse.ts';
import type { TranscriptDelta } from '../../providers/transcription/codec.ts';
import type { ClientStream } from '../batch/forward-stream.ts';
import { forwardedEvents } from './forwarded-events.ts';

/** Token counts of a stream whose recording is billed by its length, because clients require counts in the usage. */
const NO_TOKENS = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

export function transcriptEvents(requestId: string): ClientStream<TranscriptDelta> {
  let text = '';
  return forwardedEvents(requestId, {
    chunk: ({ delta }) => {
      text += delta;
      return sseEvent({ type: 'transcript.text.delta', delta });
    },
    last: (charged) =>
      sseEvent({
        type: 'transcript.text.done',
        text,
        usage: { ...NO_TOKENS, ...transcriptUsage(charged, finalCost(charged)) },
      }),
  });
}

interface BilledDuration {
  type: 'duration';
  seconds: number;
  cost?: Money;
}

interface BilledTokens {
  type: 'tokens';
  input_tokens: number;
  input_token_details: { audio_tokens: number; text_tokens: number };
  output_tokens: number;
  total_tokens: number;
  cost?: Money;
}

/**
 * Returns the usage in the form of OpenAI's API.
 * @param cost empty while the cost is not final
 */
export function transcriptUsage(
  { usage }: Pick<Charged, 'usage'>,
  cost: { cost?: Money },
): BilledDuration | BilledTokens {
  const { audioSeconds: seconds, audioInputTokens: audio = 0, inputTokens: text, outputTokens: output } = usage;
  if (seconds !== undefined) return { type: 'duration', seconds, ...cost };
  const input = promptTokens(usage);
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { audio_tokens: audio, text_tokens: text },
    output_tokens: output,
    total_tokens: input + output,
    ...cost,
  };
}
