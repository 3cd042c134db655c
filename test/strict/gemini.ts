/** Strict fakes of Gemini at the Gemini API and at Vertex AI, which refuse unknown fields. */

import * as z from 'zod';
import {
  ARGUMENTS_SOURCE,
  argumentsFault,
  isBlankText,
  isCircular,
  repeatedIn,
  schemasIn,
  strictFake,
  type Rule,
  type StrictFake,
} from './rules.ts';

const reference = 'https://ai.google.dev/api/generate-content';
const discovery = 'https://generativelanguage.googleapis.com/$discovery/rest?version=v1beta';

const inlineData = z.strictObject({ mimeType: z.string(), data: z.base64().min(1) });
const schemaKeywords = new Set(
  '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'.split(
    ' ',
  ),
);
const name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);

const bodyAt = (ids: z.ZodType, store: z.ZodType<false | undefined>) => {
  const functionCall = z.strictObject({ id: ids, name, args: z.record(z.string(), z.unknown()).optional() });
  const functionResponse = z.strictObject({
    id: ids,
    name,
    response: z.record(z.string(), z.unknown()),
    parts: z.array(z.strictObject({ inlineData })).optional(),
  });
  const part = z.union([
    z.strictObject({ text: z.string(), thought: z.boolean().optional(), thoughtSignature: z.string().optional() }),
    z.strictObject({ inlineData, thoughtSignature: z.string().optional() }),
    z.strictObject({ fileData: z.strictObject({ mimeType: z.string().optional(), fileUri: z.string() }) }),
    z.strictObject({ functionCall, thoughtSignature: z.string().optional() }),
    z.strictObject({ functionResponse }),
  ]);
  return z.strictObject({
    contents: z.array(z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) })).min(1),
    systemInstruction: z
      .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) })
      .optional(),
    tools: z
      .array(
        z.strictObject({
          functionDeclarations: z
            .array(
              z.strictObject({ name, description: z.string().optional(), parametersJsonSchema: z.looseObject({}) }),
            )
            .max(512),
        }),
      )
      .optional(),
    toolConfig: z
      .strictObject({
        functionCallingConfig: z.strictObject({
          mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
          allowedFunctionNames: z.array(z.string()).optional(),
        }),
      })
      .optional(),
    generationConfig: z
      .strictObject({
        maxOutputTokens: z.int().positive().optional(),
        stopSequences: z.array(z.string().min(1)).max(5).optional(),
        temperature: z.number().min(0).max(2).optional(),
        topP: z.number().min(0).max(1).optional(),
        topK: z.int().positive().optional(),
        frequencyPenalty: z.number().min(-2).lt(2).optional(),
        presencePenalty: z.number().min(-2).lt(2).optional(),
        seed: z.int32().optional(),
        responseLogprobs: z.literal(true).optional(),
        logprobs: z.int().min(0).max(20).optional(),
        responseMimeType: z.literal('application/json').optional(),
        responseJsonSchema: z.looseObject({}).optional(),
        responseModalities: z
          .array(z.enum(['TEXT', 'IMAGE', 'AUDIO']))
          .min(1)
          .optional(),
        imageConfig: z
          .strictObject({
            aspectRatio: z.enum(['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']).optional(),
            imageSize: z.enum(['1K', '2K', '4K']).optional(),
          })
          .optional(),
        thinkingConfig: z
          .strictObject({
            includeThoughts: z.boolean().optional(),
            thinkingBudget: z.int().optional(),
            thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
          })
          .optional(),
      })
      .optional(),
    store,
  });
};
const atGoogle = bodyAt(z.string().optional(), z.literal(false).optional());
/** https://googleapis.github.io/kotlin-genai: `store` is not supported in Gemini Enterprise Agent Platform. */
const atVertex = bodyAt(z.never().optional(), z.never().optional());
type GeminiBody = z.output<typeof atGoogle>;

/** Thinking budgets by model: https://ai.google.dev/gemini-api/docs/thinking */
const budgets: [RegExp, number, number][] = [
  [/2\.5-pro/, 128, 32_768],
  [/2\.5-flash/, 0, 24_576],
];
const withMinimal = /3\.6-flash|3\.5-flash|3-flash|3\.1-flash/;
const withHighest = /4-(?:neon|hydrogen)/;

const isComposer = (model: string) => /lyria/.test(model);
const isPainter = (model: string) => /image|banana/.test(model);

const rules: Rule<GeminiBody>[] = [
  {
    source: 'https://ai.google.dev/gemini-api/docs/generate-content/music-generation',
    refuses: ({ read: { contents, generationConfig: config = {}, ...others }, model }) => {
      const modalities = config.responseModalities?.toSorted().join() ?? '';
      if (!isComposer(model)) return modalities.includes('AUDIO') && 'the model makes no audio';
      if (modalities !== 'AUDIO,TEXT' || Object.keys(config).length > 1) return 'the model makes only audio and text';
      if (Object.keys(others).some((name) => name !== 'store'))
        return 'the model supports neither functions nor system instructions';
      if (contents.length > 1) return 'music generation is a single-turn process';
      const media = contents[0]!.parts.filter((part) => !('text' in part));
      const images = media.filter(
        (part) => 'fileData' in part || ('inlineData' in part && part.inlineData.mimeType.startsWith('image/')),
      );
      return (images.length > 10 || images.length < media.length) && 'the model reads text and at most 10 images';
    },
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/image-generation',
    refuses: ({ read: { generationConfig: config }, model }) => {
      const { responseModalities: modalities, imageConfig: image } = config ?? {};
      if ((modalities?.includes('IMAGE') || image) && !isPainter(model)) return 'the model does not draw';
      return image?.imageSize !== undefined && /lite/.test(model) && 'imageSize is not supported for this model';
    },
  },
  {
    source: 'https://github.com/BerriAI/litellm/discussions/44983',
    refuses: ({ read: { tools, generationConfig: config }, model }) =>
      isPainter(model) && (tools || config?.responseMimeType) && 'functions and structured output are not supported',
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    refuses: ({ read: { contents }, model }) =>
      isPainter(model) &&
      contents.some(
        ({ role, parts }) =>
          role === 'model' &&
          parts.some((part, index) => (index === 0 || 'inlineData' in part) && !('thoughtSignature' in part)),
      ) &&
      'Image part is missing a thought_signature',
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/thinking',
    refuses: ({ read, model }) => {
      const { thinkingBudget: budget, thinkingLevel: level } = read.generationConfig?.thinkingConfig ?? {};
      const range = budgets.find(([pattern]) => pattern.test(model));
      const accepts = level === 'minimal' ? withMinimal : level === 'xhigh' ? withHighest : /./;
      if (level !== undefined && (range || !accepts.test(model))) {
        return `Thinking level "${level}" is not supported for this model.`;
      }
      if (budget === undefined || (range && budget === -1)) return false;
      return (!range || budget < range[1] || budget > range[2]) && `The thinking budget ${budget} is invalid.`;
    },
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/function-calling',
    refuses: ({ read: { contents } }) => {
      for (const [index, { parts }] of contents.entries()) {
        const calls = parts.filter((part) => 'functionCall' in part).length;
        const answers = contents[index + 1]?.parts.filter((part) => 'functionResponse' in part).length ?? 0;
        if (calls !== answers) return 'the number of function response parts must equal that of function call parts';
      }
      return (
        contents[0]!.parts.some((part) => 'functionResponse' in part) && 'function response comes after a function call'
      );
    },
  },
  {
    source: 'https://github.com/google-gemini/gemini-cli/issues/11814',
    refuses: ({ read: { contents } }) =>
      contents[0]!.parts.some((part) => 'functionCall' in part) &&
      'function call turn comes immediately after a user turn or after a function response turn',
  },
  {
    source: 'https://github.com/pipecat-ai/pipecat/pull/5821',
    refuses: ({ read: { contents }, model }) =>
      contents.at(-1)!.role === 'model' &&
      !/gemini-(?:2\.|3-|3\.1-|3\.5-flash$)/.test(model) &&
      !isPainter(model) &&
      'Requests ending with a model turn are not supported.',
  },
  {
    source: reference,
    refuses: ({ read: { contents } }) =>
      contents.some(({ role }, index) => role === contents[index + 1]?.role) && 'roles must alternate',
  },
  {
    source: reference,
    refuses: ({ read: { contents } }) =>
      contents.some(({ parts }) =>
        parts.some((part) => 'text' in part && isBlankText(part.text) && !part.thoughtSignature),
      ) && 'parts must not be blank',
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    refuses: ({ read: { contents }, model }) =>
      !/2\.5/.test(model) &&
      contents.some(({ parts }) => {
        const call = parts.find((part) => 'functionCall' in part);
        return call && 'functionCall' in call && !call.thoughtSignature;
      }) &&
      'Function call is missing a thought_signature',
  },
  {
    source: reference,
    refuses: ({ read }) =>
      repeatedIn(
        (read.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map((one) => one.name)),
      ) && 'Duplicate function declaration found',
  },
  {
    source: discovery,
    refuses: ({ read }) => {
      const schemas = [
        ...(read.tools ?? []).flatMap(({ functionDeclarations }) =>
          functionDeclarations.map((one) => one.parametersJsonSchema),
        ),
        ...(read.generationConfig?.responseJsonSchema ? [read.generationConfig.responseJsonSchema] : []),
      ];
      if (schemas.some((schema) => isCircular(schema, (isOptional) => isOptional))) {
        return 'Cyclic references may only be used within non-required properties.';
      }
      const parts = schemas.flatMap((schema) => [...schemasIn(schema)]);
      const odd = parts.find(
        ({ enum: values, type, required = [], properties = {} }) =>
          (Array.isArray(values) &&
            (values.length === 0 || values.includes('') || (type === undefined && typeof values[0] === 'string'))) ||
          (required as string[]).some((name) => !Object.hasOwn(properties as object, name)),
      );
      if (odd) return `${JSON.stringify(odd)}: enum or required is invalid`;
      const unknown = schemas
        .flatMap((schema) => [...schemasIn(schema)])
        .flatMap(Object.keys)
        .find((keyword) => !schemaKeywords.has(keyword));
      return unknown && `Unknown name "${unknown}" in a schema`;
    },
  },
  {
    source: 'https://github.com/googleapis/python-genai/issues/867',
    refuses: ({ read, model }) =>
      /2\.5/.test(model) &&
      read.tools !== undefined &&
      read.generationConfig?.responseMimeType === 'application/json' &&
      "Function calling with a response mime type: 'application/json' is unsupported",
  },
  {
    source: 'https://github.com/vercel/ai/pull/16540',
    refuses: ({ read }) =>
      read.toolConfig?.functionCallingConfig.mode === 'ANY' &&
      read.generationConfig?.responseMimeType === 'application/json' &&
      "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
  },
  {
    source: 'https://github.com/googleapis/python-genai/issues/2170',
    refuses: ({ read }) => {
      const bounds = [...JSON.stringify(read).matchAll(/"maxItems":(\d+)/g)].map(([, most]) => Number(most));
      return bounds.reduce((sum, most) => sum + most, 0) >= 960 && 'Request contains an invalid argument.';
    },
  },
  {
    source: ARGUMENTS_SOURCE,
    refuses: ({ read }) =>
      read.tools
        ?.flatMap(({ functionDeclarations }) =>
          functionDeclarations.map((one) => argumentsFault(one.parametersJsonSchema)),
        )
        .find((fault) => fault !== undefined),
  },
  {
    source: reference,
    refuses: ({ read: { generationConfig: config } }) =>
      config?.logprobs !== undefined && !config.responseLogprobs && 'logprobs needs responseLogprobs',
  },
  {
    source: reference,
    refuses: ({ read }) =>
      read.toolConfig && !read.tools && 'Function calling config is set without function_declarations.',
  },
];

const googleRules: Rule<GeminiBody>[] = [
  {
    source: 'https://github.com/googleapis/python-genai/issues/1921',
    refuses: ({ read }) => read.generationConfig?.responseLogprobs && 'Logprobs is not enabled for this model',
  },
  {
    source: 'https://github.com/mnfst/modelparams.dev/pull/16',
    refuses: ({ read: { generationConfig: config } }) =>
      (config?.frequencyPenalty !== undefined || config?.presencePenalty !== undefined) && 'Penalty is not enabled',
  },
  {
    source: 'https://ai.google.dev/gemini-api/docs/logs-datasets',
    refuses: ({ read: { store } }) => store !== false && 'Google may store the request',
  },
];
const vertexRules: Rule<GeminiBody>[] = [
  {
    source: 'https://github.com/GoogleCloudPlatform/generative-ai/issues/2947',
    refuses: ({ read, model }) =>
      read.generationConfig?.responseLogprobs && !/2\.5/.test(model) && 'Logprobs is not supported for this model',
  },
];

export const geminiFake: StrictFake = strictFake(atGoogle, [...rules, ...googleRules]);
export const vertexGeminiFake: StrictFake = strictFake(atVertex as unknown as z.ZodType<GeminiBody>, [
  ...rules,
  ...vertexRules,
]);
export const geminiRules: readonly { source: string }[] = [...rules, ...googleRules, ...vertexRules];
