/**
 * Defines the billing units. Usage, prices, holds, records, price lines, sealed lines, statements, FOCUS rows, SQL
 * views, the API document and the console read their units from this table (docs/data-model.md, "Billing units").
 *
 * The order of the table is the order of price lines, and of the columns of sealed lines. New units must therefore be
 * appended, and no unit may be removed.
 */

/** Properties that every unit has. */
interface DescribedUnit {
  /** Name of the unit in price lines, statements and sealed lines. */
  meter: string;
  /**
   * Names of prices in the catalog: the unit's own price, then, in order, the prices that replace a missing own price.
   */
  prices: readonly [string, ...string[]];
  /** Description of the price in the API document. */
  priced: string;
  focus: { unit: string; name: string };
  /** Label of the unit in the console. */
  label: { en: string; ru: string };
}

/** A fee for each request to a provider, in addition to its units. */
interface FeeEntry extends DescribedUnit {
  part: 'fee';
}

interface CountedUnit extends DescribedUnit {
  /**
   * Name of the usage field with the count. For a piece (a unit other than tokens), the bounds of a request have the
   * same field.
   */
  usage: string;
  /** Path to the unit's count in a Messages API `usage` object; absent if no provider reports the count. */
  reported?: readonly [string] | readonly [string, string];
  /** Name of the field in a record, and of the attribute in the table. */
  record?: readonly [field: string, attribute: string];
  /**
   * Set until a release reads this attribute. Until then, settlement messages carry the field separately, because the
   * previous release rejects unknown fields.
   */
  isUnreleased?: true;
  /** Name of the unit in the output of `generations show`; absent if that command does not show the unit. */
  shownAs?: string;
}

/**
 * Tokens of the prompt or of the answer. Each token is charged once, at a price that may depend on the prompt's length.
 * The first `prompt` entry and the first `completion` entry are for tokens that no other entry covers. A part of the
 * answer without a price of its own has the price of that first entry.
 */
interface TokenEntry extends CountedUnit {
  part: 'prompt' | 'completion';
  /** Whether the tokens are read from a cache, or written to it with this lifetime. Absent: no cache is involved. */
  cache?: 'read' | '5m' | '1h';
  /**
   * Price of all other tokens of an answer that has tokens of this unit. Answers without such tokens have the usual
   * price.
   */
  rest?: { price: string; priced: string };
}

/** A unit other than tokens, such as an image, a search or a second. */
interface PieceEntry extends CountedUnit {
  part: 'piece';
  record: readonly [field: string, attribute: string];
  /**
   * `round`: records have one count per request to a provider. `generation`: records have one count for all requests,
   * which the last price line charges.
   */
  per: 'round' | 'generation';
  /**
   * `before`: the request determines the count, and the count in the hold is charged. `after`: the answer determines
   * the count, and at most the count in the hold is charged.
   */
  counted: 'before' | 'after';
  /** Set if the unit counts content of the request, so that it belongs to the price of the prompt. */
  ofPrompt?: true;
  /** Set if an answer may consist of this unit alone, without tokens. */
  alone?: true;
  /** Set if the price depends on the model's own options. It is then not a field of the catalog's `pricing`. */
  perModel?: true;
}

export type UnitEntry = FeeEntry | TokenEntry | PieceEntry;

export const unitTable = [
  {
    part: 'fee',
    meter: 'request',
    prices: ['request'],
    priced: 'The price of one request, in addition to its tokens.',
    focus: { unit: 'Requests', name: 'Requests' },
    label: { en: 'request', ru: 'запрос' },
  },
  {
    part: 'prompt',
    meter: 'input',
    usage: 'inputTokens',
    reported: ['input_tokens'],
    prices: ['prompt'],
    priced: 'The price of one token of the prompt.',
    focus: { unit: 'Tokens', name: 'Uncached input tokens' },
    label: { en: 'tokens read', ru: 'прочитанные токены' },
  },
  {
    part: 'prompt',
    cache: 'read',
    meter: 'cache_read',
    usage: 'cacheReadTokens',
    reported: ['cache_read_input_tokens'],
    record: ['cachedTokens', 'native_tokens_cached'],
    shownAs: 'tokens_cached',
    prices: ['input_cache_read', 'prompt'],
    priced: 'The price of one token that is read from a cache.',
    focus: { unit: 'Tokens', name: 'Input tokens read from a cache' },
    label: { en: 'tokens read from a cache', ru: 'токены из кэша' },
  },
  {
    part: 'prompt',
    cache: '5m',
    meter: 'cache_write',
    usage: 'cacheWrite5mTokens',
    reported: ['cache_creation', 'ephemeral_5m_input_tokens'],
    record: ['cacheWrite5mTokens', 'cache_write_tokens'],
    shownAs: 'tokens_cache_write',
    prices: ['input_cache_write', 'prompt'],
    priced: 'The price of one token that is written to a cache for five minutes.',
    focus: { unit: 'Tokens', name: 'Input tokens written to a cache for five minutes' },
    label: { en: 'tokens written to a cache (5 min)', ru: 'токены, записанные в кэш (5 мин)' },
  },
  {
    part: 'prompt',
    cache: '1h',
    meter: 'cache_write_1h',
    usage: 'cacheWrite1hTokens',
    reported: ['cache_creation', 'ephemeral_1h_input_tokens'],
    record: ['cacheWrite1hTokens', 'cache_write_1h_tokens'],
    shownAs: 'tokens_cache_write_1h',
    prices: ['input_cache_write_1h', 'input_cache_write', 'prompt'],
    priced: 'The price of one token that is written to a cache for one hour.',
    focus: { unit: 'Tokens', name: 'Input tokens written to a cache for one hour' },
    label: { en: 'tokens written to a cache (1 h)', ru: 'токены, записанные в кэш (1 ч)' },
  },
  {
    part: 'completion',
    meter: 'output',
    usage: 'outputTokens',
    reported: ['output_tokens'],
    prices: ['completion'],
    priced: 'The price of one token of the answer.',
    focus: { unit: 'Tokens', name: 'Output tokens' },
    label: { en: 'tokens written', ru: 'написанные токены' },
  },
  {
    part: 'completion',
    meter: 'reasoning',
    usage: 'reasoningTokens',
    reported: ['output_tokens_details', 'thinking_tokens'],
    record: ['reasoningTokens', 'native_tokens_reasoning'],
    shownAs: 'tokens_reasoning',
    prices: ['internal_reasoning'],
    priced: 'The price of one token of thinking, if it differs from `completion`.',
    rest: {
      price: 'thinking_completion',
      priced: 'The price of each token of an answer with thinking, if it differs from `completion`.',
    },
    focus: { unit: 'Tokens', name: 'Reasoning tokens' },
    label: { en: 'tokens of thinking', ru: 'токены размышления' },
  },
  {
    part: 'piece',
    per: 'generation',
    counted: 'after',
    meter: 'search',
    usage: 'searchRequests',
    reported: ['server_tool_use', 'web_search_requests'],
    record: ['searchRequests', 'num_search_requests'],
    shownAs: 'search_requests',
    prices: ['web_search'],
    priced: 'The price of one search that the model makes.',
    focus: { unit: 'Searches', name: 'Web searches' },
    label: { en: 'web searches', ru: 'поиски в сети' },
  },
  {
    // Images in the prompt, for an endpoint that charges for each image.
    part: 'piece',
    per: 'round',
    counted: 'before',
    ofPrompt: true,
    meter: 'image',
    usage: 'pricedImages',
    record: ['pricedImages', 'priced_images'],
    prices: ['image'],
    priced: 'The price of one image in the prompt.',
    focus: { unit: 'Images', name: 'Input images' },
    label: { en: 'images', ru: 'изображения' },
  },
  {
    part: 'piece',
    per: 'generation',
    counted: 'before',
    alone: true,
    perModel: true,
    meter: 'video_second',
    usage: 'videoSeconds',
    record: ['videoSeconds', 'video_seconds'],
    shownAs: 'video_seconds',
    prices: ['video_second'],
    priced: 'The price of one second of video.',
    focus: { unit: 'Seconds', name: 'Seconds of video' },
    label: { en: 'seconds of video', ru: 'секунды видео' },
  },
  {
    part: 'piece',
    per: 'round',
    counted: 'after',
    alone: true,
    ofPrompt: true,
    meter: 'search_unit',
    usage: 'searchUnits',
    reported: ['search_units'],
    record: ['searchUnits', 'search_units'],
    isUnreleased: true,
    shownAs: 'search_units',
    prices: ['search_unit'],
    priced: 'The price of one search unit of a reranker: one query with up to 100 documents.',
    focus: { unit: 'Search Units', name: 'Search units' },
    label: { en: 'search units', ru: 'поисковые единицы' },
  },
  {
    part: 'completion',
    meter: 'image_output',
    usage: 'imageOutputTokens',
    reported: ['output_tokens_details', 'image_tokens'],
    record: ['imageOutputTokens', 'native_tokens_image_output'],
    isUnreleased: true,
    shownAs: 'tokens_image_output',
    prices: ['image_output'],
    priced: 'The price of one token of a drawn image, where it differs from `completion`.',
    focus: { unit: 'Tokens', name: 'Output image tokens' },
    label: { en: 'tokens of drawn images', ru: 'токены нарисованных изображений' },
  },
  {
    part: 'completion',
    meter: 'audio_output',
    usage: 'audioOutputTokens',
    reported: ['output_tokens_details', 'audio_tokens'],
    record: ['audioOutputTokens', 'native_tokens_audio_output'],
    isUnreleased: true,
    shownAs: 'tokens_audio_output',
    prices: ['audio_output'],
    priced: 'The price of one token of sound in the answer, where it differs from `completion`.',
    focus: { unit: 'Tokens', name: 'Audio output tokens' },
    label: { en: 'tokens of sound', ru: 'токены звука' },
  },
  {
    part: 'piece',
    per: 'round',
    counted: 'after',
    alone: true,
    ofPrompt: true,
    meter: 'audio_second',
    usage: 'audioSeconds',
    reported: ['audio_seconds'],
    record: ['audioSeconds', 'audio_seconds'],
    isUnreleased: true,
    shownAs: 'audio_seconds',
    prices: ['audio_second'],
    priced: 'The price of one second of a recording that is transcribed.',
    focus: { unit: 'Seconds', name: 'Seconds of recordings' },
    label: { en: 'seconds of recordings', ru: 'секунды записей' },
  },
  {
    part: 'prompt',
    meter: 'audio_input',
    usage: 'audioInputTokens',
    reported: ['audio_input_tokens'],
    record: ['audioInputTokens', 'native_tokens_audio_input'],
    isUnreleased: true,
    shownAs: 'tokens_audio_input',
    prices: ['audio_input', 'prompt'],
    priced: 'The price of one token of a recording in the prompt, where it differs from `prompt`.',
    focus: { unit: 'Tokens', name: 'Input audio tokens' },
    label: { en: 'tokens of recordings', ru: 'токены записей' },
  },
  {
    part: 'piece',
    per: 'round',
    counted: 'after',
    alone: true,
    meter: 'output_image',
    usage: 'outputImages',
    reported: ['output_images'],
    record: ['outputImages', 'output_images'],
    isUnreleased: true,
    shownAs: 'output_images',
    prices: ['output_image'],
    priced: 'The price of one image that the model draws.',
    focus: { unit: 'Images', name: 'Output images' },
    label: { en: 'images drawn', ru: 'нарисованные изображения' },
  },
  {
    part: 'prompt',
    meter: 'image_input',
    usage: 'imageInputTokens',
    reported: ['image_input_tokens'],
    record: ['imageInputTokens', 'native_tokens_image_input'],
    isUnreleased: true,
    shownAs: 'tokens_image_input',
    prices: ['image_input', 'prompt'],
    priced: 'The price of one token of an image in the prompt, where it differs from `prompt`.',
    focus: { unit: 'Tokens', name: 'Input image tokens' },
    label: { en: 'tokens of images in the prompt', ru: 'токены изображений в запросе' },
  },
  {
    // Unicode code points of the text to convert to speech.
    part: 'piece',
    per: 'round',
    counted: 'before',
    alone: true,
    ofPrompt: true,
    meter: 'character',
    usage: 'characters',
    reported: ['characters'],
    record: ['characters', 'characters'],
    isUnreleased: true,
    shownAs: 'characters',
    prices: ['character'],
    priced: 'The price of one character of text to speak.',
    focus: { unit: 'Characters', name: 'Characters of text to speak' },
    label: { en: 'characters', ru: 'символы' },
  },
  {
    // Pixels of images in the prompt, for an endpoint that charges for their size.
    part: 'piece',
    per: 'round',
    counted: 'after',
    alone: true,
    ofPrompt: true,
    meter: 'pixel',
    usage: 'imagePixels',
    reported: ['image_pixels'],
    record: ['imagePixels', 'image_pixels'],
    isUnreleased: true,
    shownAs: 'image_pixels',
    prices: ['pixel'],
    priced: 'The price of one pixel of an image in the prompt.',
    focus: { unit: 'Pixels', name: 'Pixels of input images' },
    label: { en: 'pixels', ru: 'пиксели' },
  },
  {
    part: 'piece',
    per: 'round',
    counted: 'after',
    alone: true,
    meter: 'song',
    usage: 'songs',
    record: ['songs', 'songs'],
    isUnreleased: true,
    shownAs: 'songs',
    prices: ['song'],
    priced: 'The price of one song that the model makes.',
    focus: { unit: 'Songs', name: 'Songs' },
    label: { en: 'songs', ru: 'песни' },
  },
] as const satisfies readonly UnitEntry[];
