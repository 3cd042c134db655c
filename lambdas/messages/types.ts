/**
 * Types of the Messages API. Most of them allow unknown fields, because providers may support newer fields than the
 * gateway.
 */

import type { AnswerAudioFormat } from './audio.ts';
import type { TokenLogprob } from './token-logprob.ts';

/**
 * Member of a tool_use block whose arguments are not a JSON object: the arguments as the model wrote them. JSON has no
 * symbols, so answers of the Messages API do not have this member.
 */
export const WRITTEN = Symbol('written arguments');

/** Member of a text block from or for the Responses API: the phase of its message (`commentary` or `final_answer`). */
export const PHASE = Symbol('phase');

/** Member of an image or document block from OpenAI's APIs: how closely the model looks at the image or the pages. */
export const DETAIL = Symbol('image detail');

/** Member of a message: the name of the provider that answers. Only chat completions show it, as OpenRouter does. */
export const PROVIDER = Symbol('provider');

export interface Block {
  type: string;
  [DETAIL]?: 'low' | 'high';
  [WRITTEN]?: string;
  [PHASE]?: string;
  [field: string]: unknown;
}

export interface Message {
  role: 'user' | 'assistant' | 'system';
  content: string | Block[];
}

export interface Tool {
  name: string;
  type?: string | null | undefined;
  description?: string | null | undefined;
  input_schema?: Record<string, unknown> | null | undefined;
  [field: string]: unknown;
}

export interface ToolChoice {
  type: 'auto' | 'any' | 'tool' | 'none';
  name?: string | null | undefined;
  disable_parallel_tool_use?: boolean | null | undefined;
}

export interface MessagesRequest {
  model: string;
  messages: Message[];
  max_tokens?: number;
  system?: string | Block[];
  stop_sequences?: string[];
  stream?: boolean;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  /** Whether to return token probabilities, and the number of alternatives per token. */
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
  tools?: Tool[];
  tool_choice?: ToolChoice;
  thinking?: { type: string; budget_tokens?: number | null | undefined; [field: string]: unknown };
  output_config?: {
    effort?: string | null | undefined;
    format?:
      | { type: string; schema?: unknown; name?: string | undefined; description?: string | undefined }
      | null
      | undefined;
    [field: string]: unknown;
  };
  context_management?: { edits?: { type: string }[] | null | undefined; [field: string]: unknown };
  betas?: string[];
  /** Requested kinds of output. Only clients of the Chat Completions API can request others than text. */
  modalities?: readonly ('text' | 'image' | 'audio')[];
  image_config?: { aspect_ratio?: string | null | undefined; image_size?: string | null | undefined };
  audio?: { voice?: string | undefined; format: AnswerAudioFormat };
  metadata?: { user_id?: string | null | undefined; [field: string]: unknown };
  [field: string]: unknown;
}

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

/** Usage of an answer. A provider may omit counts. */
export interface WireUsage {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation?: { ephemeral_5m_input_tokens?: number | null; ephemeral_1h_input_tokens?: number | null } | null;
  output_tokens_details?: {
    thinking_tokens?: number | null;
    image_tokens?: number | null;
    audio_tokens?: number | null;
  } | null;
  server_tool_use?: { web_search_requests?: number | null; [field: string]: unknown } | null;
  iterations?: WireUsage[] | null;
  [field: string]: unknown;
}

export interface MessageBody {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: Block[];
  stop_reason: StopReason | null;
  stop_sequence: string | null;
  usage: WireUsage;
  [PROVIDER]?: string;
  [field: string]: unknown;
}

export interface MessageStart {
  type: 'message_start';
  message: MessageBody;
}

interface ContentBlockStart {
  type: 'content_block_start';
  index: number;
  content_block: Block;
}

export type Delta =
  | { type: 'text_delta'; text: string; logprobs?: readonly TokenLogprob[] }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'citations_delta'; citation: unknown }
  /** A piece of audio in base64, which can be decoded without the other pieces. */
  | { type: 'audio_delta'; data: string }
  | { type: 'audio_end_delta'; expires_at: number }
  | { type: 'transcript_delta'; transcript: string };

interface ContentBlockDelta {
  type: 'content_block_delta';
  index: number;
  delta: Delta;
}

interface ContentBlockStop {
  type: 'content_block_stop';
  index: number;
}

export interface MessageDelta {
  type: 'message_delta';
  delta: { stop_reason: StopReason | null; stop_sequence: string | null; [field: string]: unknown };
  usage: WireUsage;
  [field: string]: unknown;
}

/**
 * Event that ends an answer with an error. The client never gets this event: the gateway sends its own error instead.
 */
interface ErrorEvent {
  type: 'error';
  /** Error in the provider's own format. */
  error: unknown;
}

export type MessagesEvent =
  | MessageStart
  | ContentBlockStart
  | ContentBlockDelta
  | ContentBlockStop
  | MessageDelta
  | ErrorEvent
  | { type: 'message_stop' }
  | { type: 'ping' };

/** An event of an answer. The member `raw` has the provider's original bytes if the client may get them unchanged. */
export interface AnswerEvent {
  data: MessagesEvent;
  raw?: Uint8Array;
}

export interface AnswerBatch {
  events: AnswerEvent[];
  /** Usage that the provider reported outside of these events. */
  usage?: WireUsage | undefined;
  /** Bytes that the model has written and the decoder still holds back from the client. */
  heldBackBytes?: number;
  /** Whether the provider has reported a stop reason, but the answer has not ended. */
  isClosing?: boolean;
  /** The provider's own stop reason; absent for providers with the Messages API. */
  nativeReason?: string | undefined;
}
