import * as z from 'zod';
import { countShape } from '../../../http/shapes.ts';
import { lateCostShape } from '../shape.ts';

const time = z.number().min(0);
const times = {
  start: time.meta({ description: 'The beginning, in seconds from the beginning of the recording.' }),
  end: time.meta({ description: 'The end, in seconds from the beginning of the recording.' }),
};
const speaker = countShape
  .optional()
  .meta({ description: 'The number of the speaker, from 0, if the provider tells speakers apart.' });

const durationUsage = z.strictObject({
  type: z.literal('duration').meta({ description: 'The recording is billed by its length.' }),
  seconds: countShape.meta({ description: 'The billed seconds of the recording.' }),
  cost: lateCostShape,
});
const tokenUsage = z.strictObject({
  type: z.literal('tokens').meta({ description: 'The recording and the text are billed by tokens.' }),
  input_tokens: countShape.meta({ description: 'The tokens of the recording and of the prompt.' }),
  input_token_details: z
    .strictObject({
      audio_tokens: countShape.meta({ description: 'The tokens of the recording.' }),
      text_tokens: countShape.meta({ description: 'The tokens of the prompt.' }),
    })
    .meta({ description: 'The parts of `input_tokens`, by their kinds.' }),
  output_tokens: countShape.meta({ description: 'The tokens of the text.' }),
  total_tokens: countShape.meta({ description: 'The sum of both counts of tokens.' }),
  cost: lateCostShape,
});

const transcriptUsageShape = z
  .union([durationUsage, tokenUsage])
  .meta({ description: 'The billed units, and their cost.' });

export const transcriptAnswer = z
  .strictObject({
    text: z.string().meta({ description: 'The whole text of the recording.' }),
    task: z
      .enum(['transcribe', 'translate'])
      .optional()
      .meta({ description: 'With `verbose_json`: the task of the route.' }),
    language: z.string().optional().meta({
      description:
        'With `verbose_json`: the language that the provider detected, in its own form, or the requested one; otherwise an empty text.',
    }),
    duration: time.optional().meta({ description: 'With `verbose_json`: the length of the recording in seconds.' }),
    segments: z
      .array(
        z.strictObject({
          id: countShape.meta({ description: 'The place of the segment.' }),
          text: z.string().meta({ description: 'The text of the segment.' }),
          ...times,
          speaker,
          seek: z.number().meta({ description: 'The place in the recording at which Whisper decoded the segment.' }),
          tokens: z.array(z.int()).meta({ description: 'The tokens of the text.' }),
          temperature: z.number().meta({ description: 'The temperature of the segment.' }),
          avg_logprob: z.number().meta({ description: 'The average logarithm of the probabilities of the tokens.' }),
          compression_ratio: z.number().meta({ description: 'The ratio by which the text can be compressed.' }),
          no_speech_prob: z.number().meta({ description: 'The probability that nobody speaks.' }),
        }),
      )
      .optional()
      .meta({
        description:
          'With `verbose_json`: the segments, unless only words were requested. Values of the decoder (`seek` to `no_speech_prob`) that the provider does not report are 0, or empty, because clients require them.',
      }),
    words: z
      .array(
        z.strictObject({ word: z.string().meta({ description: 'The word as it was spoken.' }), ...times, speaker }),
      )
      .optional()
      .meta({ description: 'With `verbose_json` and the granularity `word`: the words.' }),
    usage: transcriptUsageShape,
  })
  .meta({ id: 'Transcript' });
export type TranscriptAnswer = z.output<typeof transcriptAnswer>;

export const convertedRecordingAnswer = z
  .strictObject({
    language_code: z.string().meta({
      description:
        'The language that the provider detected, in its own form, or the requested one; otherwise an empty text.',
    }),
    language_probability: z.number().meta({
      description: 'The probability of the language; 0 if the provider reports none, because clients require a number.',
    }),
    text: z.string().meta({ description: 'The whole text of the recording.' }),
    words: z
      .array(
        z.strictObject({
          text: z.string().meta({ description: 'The word as it was spoken.' }),
          ...times,
          type: z.literal('word').meta({ description: 'The kind of the part.' }),
          speaker_id: z
            .string()
            .optional()
            .meta({ description: 'The name that the provider gave to the speaker, if it has one.' }),
          logprob: z.number().meta({
            description:
              'The logarithm of the probability of the word; 0 if the provider reports none, because clients require a number.',
          }),
        }),
      )
      .meta({ description: 'The words with their times; empty if none were requested, or the model returns none.' }),
    audio_duration_secs: time
      .optional()
      .meta({ description: 'The length of the recording in seconds, if it is known.' }),
    usage: transcriptUsageShape,
  })
  .meta({ id: 'ConvertedRecording' });
export type ConvertedRecordingAnswer = z.output<typeof convertedRecordingAnswer>;
