/**
 * A wire is a provider's API format. Code outside `catalog/` and `providers/` does not depend on the names of wires.
 */

import type { AuthScheme } from './auth-schemes.ts';
import type {
  AnthropicQuirks,
  OpenaiChatQuirks,
  OpenaiResponsesQuirks,
  BedrockConverseQuirks,
  Quirks,
} from './quirk-schemas.ts';
import type { MediaModality, UnsupportedPart, ConvertiblePart } from './quirk-values.ts';
import { samplingParameters, tuningParameters, type TuningParameter } from './sampling-parameters.ts';

export const inputModalities = ['text', 'image', 'file', 'audio', 'video'] as const;
export type InputModality = (typeof inputModalities)[number];

/** Kinds of input that an endpoint does not accept if its quirk `lacks` contains this part. */
const wireParts: Partial<Record<UnsupportedPart | ConvertiblePart, readonly InputModality[]>> = {
  image: ['image', 'video'],
  document: ['file'],
};

interface WireFacts {
  /** Default way to send the credential. */
  auth: AuthScheme;
  /** Kind of request that the wire serves, as in records; undefined if its models are only listed. */
  answers: string | undefined;
  /** Facts about messages; absent for wires without messages. */
  messages?: MessagesFacts;
}

export interface MessagesFacts {
  /** Kinds of input that an endpoint with these quirks accepts. */
  carries(quirks: Quirks): readonly InputModality[];
  /** Media that the wire can express. An endpoint generates only the kinds in its quirk `modalities`. */
  makes: readonly MediaModality[];
  /** Parameters that the wire can express. An endpoint accepts only the parameters that it lists. */
  tunings: readonly TuningParameter[];
  /** Whether a request can request token probabilities, at endpoints that list `logprobs`. */
  hasLogprobs: boolean;
  /** Whether the wire can express frequency_penalty, presence_penalty and repetition_penalty. */
  hasPenalties: boolean;
  /** Whether an endpoint with these quirks caches prompts without cache marks, and may charge for cache writes. */
  implicitCaching(quirks: Quirks): boolean;
  /** Quirk in which each endpoint of a reasoning model must state whether the model thinks by default. */
  thinksByDefaultQuirk: string | undefined;
  /** Whether message_start contains the provider's own count of prompt tokens, and not an estimate. */
  countsPromptAtStart: boolean;
  /**
   * Whether a refusal before any output is free, even if the provider reports tokens. Some categories are not free
   * (inference/messages/answer-charge.ts).
   */
  refusalsAreFree: boolean;
  /** Whether newer versions of the API, which clients select with a header, reject sampling parameters. */
  refusesSampling: boolean;
  /** Whether each request must have a maximum number of output tokens. */
  needsOutputLimit: boolean;
}

/** No request goes to endpoints of these wires. */
const listedOnly = { auth: 'bearer', answers: undefined } as const;

const wireTable = {
  anthropic: {
    auth: 'x-api-key',
    answers: 'completions',
    messages: {
      // The Messages API has no block for audio.
      carries: ({ lacks = [] }: AnthropicQuirks) =>
        inputModalities.filter(
          (modality) => modality !== 'audio' && !lacks.some((part) => wireParts[part]?.includes(modality)),
        ),
      makes: [],
      tunings: [...samplingParameters],
      hasLogprobs: false,
      hasPenalties: false,
      implicitCaching: () => false,
      thinksByDefaultQuirk: 'thinks_by_default',
      countsPromptAtStart: true,
      refusalsAreFree: true,
      refusesSampling: true,
      needsOutputLimit: true,
    },
  },
  'openai-chat': {
    auth: 'bearer',
    answers: 'completions',
    messages: {
      carries: ({ pdf_files, audio_files }: OpenaiChatQuirks) => [
        'text',
        'image',
        ...(pdf_files ? (['file'] as const) : []),
        ...(audio_files ? (['audio'] as const) : []),
      ],
      makes: ['image', 'audio'],
      tunings: tuningParameters,
      hasLogprobs: true,
      hasPenalties: true,
      implicitCaching: () => true,
      thinksByDefaultQuirk: undefined,
      countsPromptAtStart: false,
      refusalsAreFree: false,
      refusesSampling: false,
      needsOutputLimit: false,
    },
  },
  'google-gemini': {
    auth: 'x-goog-api-key',
    answers: 'completions',
    messages: {
      carries: () => ['text', 'image', 'file', 'audio'],
      makes: ['image', 'audio'],
      tunings: [...samplingParameters, 'frequency_penalty', 'presence_penalty', 'seed'],
      hasLogprobs: true,
      hasPenalties: false,
      implicitCaching: () => false,
      thinksByDefaultQuirk: 'thinks_by_default',
      countsPromptAtStart: false,
      refusalsAreFree: false,
      refusesSampling: false,
      needsOutputLimit: false,
    },
  },
  'openai-responses': {
    auth: 'bearer',
    answers: 'completions',
    messages: {
      carries: ({ pdf_files }: OpenaiResponsesQuirks) => (pdf_files ? ['text', 'image', 'file'] : ['text', 'image']),
      makes: [],
      tunings: ['temperature', 'top_p', 'verbosity'],
      hasLogprobs: true,
      hasPenalties: false,
      implicitCaching: () => true,
      thinksByDefaultQuirk: undefined,
      countsPromptAtStart: false,
      refusalsAreFree: false,
      refusesSampling: false,
      needsOutputLimit: false,
    },
  },
  'bedrock-converse': {
    auth: 'aws-sigv4',
    answers: 'completions',
    messages: {
      carries: ({ pdf_files }: BedrockConverseQuirks) => (pdf_files ? ['text', 'image', 'file'] : ['text', 'image']),
      makes: [],
      tunings: [...samplingParameters],
      hasLogprobs: false,
      hasPenalties: false,
      // Claude and Nova cache only marked prompts. Bedrock caches prompts of other models by itself
      // (https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html).
      implicitCaching: ({ family = 'other' }: BedrockConverseQuirks) => family === 'other',
      thinksByDefaultQuirk: undefined,
      countsPromptAtStart: false,
      refusalsAreFree: false,
      refusesSampling: false,
      needsOutputLimit: false,
    },
  },
  /** Decisions with a provider's own API. One request has all questions of a task. */
  'decisions-native': { auth: 'bearer', answers: 'decisions' },
  /** Decisions from the probabilities of the next token in a chat completion. */
  'decisions-logprobs': { auth: 'bearer', answers: 'decisions' },
  /** Decisions from the probabilities that the model itself states in a chat completion. */
  'decisions-stated': { auth: 'bearer', answers: 'decisions' },
  'video-jobs': { auth: 'bearer', answers: 'video' },
  'google-veo': { auth: 'x-goog-api-key', answers: 'video' },
  'minimax-video': { auth: 'bearer', answers: 'video' },
  'runway-tasks': { auth: 'bearer', answers: 'video' },
  'openai-embeddings': { auth: 'bearer', answers: 'embeddings' },
  'google-embeddings': { auth: 'x-goog-api-key', answers: 'embeddings' },
  'cohere-embeddings': { auth: 'bearer', answers: 'embeddings' },
  /** Bedrock's InvokeModel, whose body has the model's own format. */
  'bedrock-titan-embeddings': { auth: 'aws-sigv4', answers: 'embeddings' },
  'bedrock-cohere-embeddings': { auth: 'aws-sigv4', answers: 'embeddings' },
  /** Voyage's API for texts and images. */
  'voyage-multimodal': { auth: 'bearer', answers: 'embeddings' },
  /** Jina's API, which Voyage, vLLM, TEI and other servers offer with small differences. */
  rerank: { auth: 'bearer', answers: 'rerank' },
  'cohere-rerank': { auth: 'bearer', answers: 'rerank' },
  /** Amazon Bedrock's agent runtime. */
  'bedrock-rerank': { auth: 'aws-sigv4', answers: 'rerank' },
  /** OpenAI's API, which Groq and Mistral offer with small differences. */
  'openai-transcription': { auth: 'bearer', answers: 'stt' },
  'elevenlabs-transcription': { auth: 'xi-api-key', answers: 'stt' },
  'deepgram-transcription': { auth: 'token-authorization', answers: 'stt' },
  'xai-transcription': { auth: 'bearer', answers: 'stt' },
  /** Synchronous recognition of Yandex SpeechKit. */
  'yandex-transcription': { auth: 'api-key-authorization', answers: 'stt' },
  /** Synchronous recognition of SaluteSpeech. */
  'salute-transcription': { auth: 'gigachat-oauth', answers: 'stt' },
  /** Transcription with a chat model that accepts audio. */
  'gemini-transcription': { auth: 'x-goog-api-key', answers: 'stt' },
  /** OpenAI's API, which xAI, Together and other servers offer with small differences. */
  'openai-images': { auth: 'bearer', answers: 'image' },
  'gemini-images': { auth: 'x-goog-api-key', answers: 'image' },
  imagen: { auth: 'x-goog-api-key', answers: 'image' },
  /** Black Forest Labs' API, whose jobs are polled. */
  'bfl-images': { auth: 'x-key', answers: 'image' },
  'bedrock-stability': { auth: 'aws-sigv4', answers: 'image' },
  'bedrock-nova-canvas': { auth: 'aws-sigv4', answers: 'image' },
  /** YandexART, whose operations are polled. */
  'yandex-art': { auth: 'api-key-authorization', answers: 'image' },
  /** OpenAI's API, which many servers offer. */
  'openai-speech': { auth: 'bearer', answers: 'tts' },
  'gemini-speech': { auth: 'x-goog-api-key', answers: 'tts' },
  'elevenlabs-speech': { auth: 'xi-api-key', answers: 'tts' },
  'deepgram-speech': { auth: 'token-authorization', answers: 'tts' },
  'mistral-speech': { auth: 'bearer', answers: 'tts' },
  'xai-speech': { auth: 'bearer', answers: 'tts' },
  /** Yandex SpeechKit, API v1. */
  'yandex-speech': { auth: 'api-key-authorization', answers: 'tts' },
  'salute-speech': { auth: 'gigachat-oauth', answers: 'tts' },
  'openai-audio': listedOnly,
} as const satisfies Record<string, WireFacts>;

export type Wire = keyof typeof wireTable;
/** Kind of a request, with its name in records and in `GET /generation`. */
export type ApiType = NonNullable<(typeof wireTable)[Wire]['answers']>;
export const apiTypes = [...new Set(Object.values(wireTable).flatMap(({ answers }) => answers ?? []))];
/** Kinds of requests that are declared in `inference/modalities/`. */
export const wholeApiTypes = apiTypes.filter((apiType) => apiType !== 'completions' && apiType !== 'video');
/** Wires that serve a kind of request. */
export type WireOf<Answers extends ApiType> = {
  [Name in Wire]: (typeof wireTable)[Name] extends { answers: Answers } ? Name : never;
}[Wire];
export type MessagesWireName = WireOf<'completions'>;

export const wires = Object.keys(wireTable) as [Wire, ...Wire[]];
export const messagesWires = wires.filter(
  (wire): wire is MessagesWireName => wireTable[wire].answers === 'completions',
);

/**
 * Returns the facts about messages of a wire.
 * @throws {TypeError} for a wire without messages, which is a bug in the gateway
 */
export function messagesFactsOf(wire: Wire): MessagesFacts {
  const { messages } = factsOf(wire);
  if (!messages) throw new TypeError(`The wire ${wire} does not answer messages`);
  return messages;
}

export function factsOf(wire: Wire): WireFacts {
  return wireTable[wire];
}
