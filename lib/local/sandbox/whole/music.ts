/** Music in the format of Google's Lyria models: lyrics, and an MP3 with a silent beat for each word. */

import { parseDirectiveLine, readDirectives, withoutDirectives } from '../directives.ts';
import { sandboxGeminiRefusal } from '../gemini.ts';
import { mp3OfWord } from '../sound.ts';
import type { SandboxAnswer } from '../whole-answers.ts';

interface MusicRequest {
  contents: { role?: string; parts: { text?: string; inlineData?: object }[] }[];
  generationConfig?: { responseModalities?: string[] };
}

/** Number of words, unless a directive sets another number. */
const WORDS_OF_SONG = 8;
const CHARACTERS_PER_MUSIC_TOKEN = 4;
const ABSURD_MUSIC_TOKENS = 1_000_000_000;

export const wholeAnswers = { '/gemini/v1beta/models/composer:generateContent': compose };

function compose({ contents, generationConfig }: MusicRequest): SandboxAnswer {
  const parts = contents.flatMap((content) => content.parts);
  const prompt = parts.map(({ text = '' }) => text).join('\n');
  const directives = readDirectives(prompt);
  if (directives.error !== undefined) {
    const message = `The sandbox was asked to answer with status ${directives.error}`;
    return refusalOfMusic(directives.error, message);
  }
  if (contents.length !== 1) return refusalOfMusic(400, 'Music cannot be continued.');
  if (generationConfig?.responseModalities?.toSorted().join() !== 'AUDIO,TEXT') {
    return refusalOfMusic(400, 'The model makes audio and text.');
  }
  const pictures = parts.filter(({ inlineData }) => inlineData).length;
  const words = Array.from({ length: directives.tokens ?? WORDS_OF_SONG }, (_, index) => `la${index}`);
  const lyrics = `[Verse] ${words.join(' ')}`;
  const audio = directives.garbageAt === undefined ? Buffer.concat(words.map(mp3OfWord)) : Buffer.from('<html>');
  const isSilent = directives.refuse || directives.nullAt !== undefined;
  const answered = [
    { text: pictures > 0 ? `${lyrics}\n${pictures} image(s)` : lyrics },
    ...(isSilent ? [] : [{ inlineData: { mimeType: 'audio/mpeg', data: audio.toString('base64') } }]),
  ];
  return {
    status: 200,
    body: {
      candidates: [
        { content: { parts: answered, role: 'model' }, finishReason: directives.refuse ? 'SAFETY' : 'STOP', index: 0 },
      ],
      ...usageOfMusic(withoutDirectives(prompt), words.length, parseDirectiveLine(prompt).valueOf('usage')),
      modelVersion: 'composer',
    },
    delivery: directives,
  };
}

function refusalOfMusic(status: number, message: string): SandboxAnswer {
  return { status, body: sandboxGeminiRefusal(status, message) };
}

function usageOfMusic(prompt: string, words: number, reported: string | undefined): object {
  if (reported === 'none') return {};
  const read = Math.ceil(prompt.length / CHARACTERS_PER_MUSIC_TOKEN);
  const written = reported === 'absurd' ? ABSURD_MUSIC_TOKENS : words;
  return {
    usageMetadata: { promptTokenCount: read, candidatesTokenCount: written, totalTokenCount: read + written },
  };
}
