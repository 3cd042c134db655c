/** Types of a Gemini request's parts and contents: https://ai.google.dev/api/caching#Content. */

export interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: unknown };
  functionResponse?: Record<string, unknown>;
}

/** Fields of a request that form the model's prompt: the conversation, the system texts and the tools. */
export interface GeminiPrompt {
  contents: GeminiContent[];
  systemInstruction?: { parts: GeminiPart[] };
  [field: string]: unknown;
}

export interface GeminiContent {
  role: 'user' | 'model';
  parts: GeminiPart[];
}
