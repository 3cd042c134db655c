/** Configuration texts that make clients use the gateway. */

import type { ModelFacts } from './model-facts.ts';

/** Configuration texts contain the name of the environment variable with the key, never the key itself. */
export interface GatewayPlace {
  /** Base URL with /v1. */
  baseUrl: string;
  model: string;
  /** Facts about the model; if undefined, configuration texts omit them. */
  facts?: ModelFacts | undefined;
}

export interface ClientConfiguration {
  /** Name on the command line. */
  name: string;
  title: string;
  api: 'messages' | 'chat completions' | 'responses';
  /** File or other place into which the text is pasted. */
  where: string;
  text: (place: GatewayPlace) => string;
  note?: string;
}

const KEY_VARIABLE = 'GATEWAY_KEY';
const SHELL = 'a shell';
const N8N_TEST =
  'n8n tests a credential with the list of models, which needs no key, so the test also succeeds with a wrong key.';
const TYPESCRIPT = 'a file .ts or .mjs';

/** Removes /v1, because clients of the Messages API append it themselves. */
const anthropicUrl = ({ baseUrl }: GatewayPlace) => baseUrl.replace(/\/v1\/?$/, '');

/** Returns the setting of the context length. Claude Code has built-in context lengths only for Claude models. */
function claudeCodeFacts({ facts }: GatewayPlace): string {
  return facts ? `\nexport CLAUDE_CODE_MAX_CONTEXT_TOKENS=${facts.contextTokens}` : '';
}

/**
 * Returns the Codex settings that load the gateway's list of models, with their context lengths and input modalities.
 * The settings are empty for OpenAI's models, for which Codex has built-in instructions.
 */
function codexCatalog({ baseUrl, model }: GatewayPlace): { provider: string; features: string } {
  if (model.startsWith('openai/')) return { provider: '', features: '' };
  return {
    provider: `\nmodel_catalog_url = "${baseUrl}/models"`,
    features: '\n\n[features]\napi_key_model_discovery = true',
  };
}

/** Returns a model's facts for opencode, which sends attachments only to models that declare support for them. */
function opencodeFacts(facts: ModelFacts | undefined): string {
  if (facts === undefined) return '';
  const { contextTokens, maxOutputTokens, inputModalities } = facts;
  const modalities = inputModalities.map((modality) => JSON.stringify(modality === 'file' ? 'pdf' : modality));
  return `,
          "attachment": ${modalities.length > 1},
          "modalities": { "input": [${modalities.join(', ')}], "output": ["text"] },
          "limit": { "context": ${contextTokens}, "output": ${maxOutputTokens} }`;
}

/** Returns a model's input modalities for pi, which supports text and images only. */
function piInputs(facts: ModelFacts | undefined): string {
  return facts?.inputModalities.includes('image') ? '"text", "image"' : '"text"';
}

function windowLines(facts: ModelFacts | undefined): string {
  return facts ? `\nContext window: ${facts.contextTokens}\nMax output tokens: ${facts.maxOutputTokens}` : '';
}

export const configurations: readonly ClientConfiguration[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    api: 'messages',
    where: SHELL,
    text: (place) => `export ANTHROPIC_BASE_URL=${anthropicUrl(place)} ANTHROPIC_AUTH_TOKEN="$${KEY_VARIABLE}"
export ANTHROPIC_MODEL=${place.model} ANTHROPIC_SMALL_FAST_MODEL=${place.model}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${place.model} ANTHROPIC_DEFAULT_SONNET_MODEL=${place.model} ANTHROPIC_DEFAULT_OPUS_MODEL=${place.model}${claudeCodeFacts(place)}
claude`,
    note: 'Its agents request haiku, sonnet or opus; the third line makes them use your model instead. For models that are not Anthropic’s, Claude Code assumes a context of a million tokens unless CLAUDE_CODE_MAX_CONTEXT_TOKENS is set.',
  },
  {
    name: 'codex',
    title: 'Codex',
    api: 'responses',
    where: '~/.codex/config.toml',
    text: (place) => `model = "${place.model}"
model_provider = "gateway"
${place.facts ? `model_context_window = ${place.facts.contextTokens}\n` : ''}
[model_providers.gateway]
name = "Gateway"
base_url = "${place.baseUrl}"${codexCatalog(place).provider}
env_key = "${KEY_VARIABLE}"
wire_api = "responses"${codexCatalog(place).features}`,
    note: `Set the variable ${KEY_VARIABLE} in the shell in which you start Codex. Do not name the provider "OpenAI": Codex would send it conversations to compact, which the gateway refuses.`,
  },
  {
    name: 'opencode',
    title: 'opencode',
    api: 'chat completions',
    where: 'opencode.json',
    text: ({ baseUrl, model, facts }) => `{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "gateway": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Gateway",
      "options": { "baseURL": "${baseUrl}", "apiKey": "{env:${KEY_VARIABLE}}" },
      "models": {
        "${model}": {
          "name": "${model}",
          "tool_call": true${opencodeFacts(facts)}
        }
      }
    }
  },
  "model": "gateway/${model}",
  "small_model": "gateway/${model}"
}`,
  },
  {
    name: 'qwen-code',
    title: 'Qwen Code',
    api: 'chat completions',
    where: SHELL,
    text: ({
      baseUrl,
      model,
    }) => `export OPENAI_BASE_URL=${baseUrl} OPENAI_API_KEY="$${KEY_VARIABLE}" OPENAI_MODEL=${model}
qwen --auth-type openai`,
  },
  {
    name: 'continue',
    title: 'Continue (cn)',
    api: 'chat completions',
    where: 'config.yaml, for cn --config config.yaml',
    text: ({ baseUrl, model }) => `name: Gateway
version: 1.0.0
schema: v1
models:
  - name: ${model}
    provider: openai
    model: ${model}
    apiBase: ${baseUrl}
    apiKey: <the value of ${KEY_VARIABLE}>
    roles: [chat, edit, apply]
    capabilities: [tool_use, image_input]`,
    note: 'For models named gpt-5… or o3…, Continue uses the Responses API, which also works.',
  },
  {
    name: 'pi',
    title: 'pi',
    api: 'chat completions',
    where: '~/.pi/agent/models.json, for pi --provider gateway --model <the id of the model>',
    text: ({ baseUrl, model, facts }) => `{
  "providers": {
    "gateway": {
      "baseUrl": "${baseUrl}",
      "api": "openai-completions",
      "apiKey": "${KEY_VARIABLE}",
      "models": [
        {
          "id": "${model}",
          "name": "${model}",
          "input": [${piInputs(facts)}]${facts ? `,\n          "contextWindow": ${facts.contextTokens},\n          "maxTokens": ${facts.maxOutputTokens}` : ''}
        }
      ]
    }
  }
}`,
    note: `pi reads the key from the variable ${KEY_VARIABLE}, which "apiKey" names.`,
  },
  {
    name: 'cline',
    title: 'Cline',
    api: 'chat completions',
    where: 'Settings of the extension → API Provider "OpenAI Compatible"',
    text: ({ baseUrl, model, facts }) => `Base URL: ${baseUrl}
OpenAI Compatible API key: <the value of ${KEY_VARIABLE}>
Model ID: ${model}${windowLines(facts)}`,
  },
  {
    name: 'roo',
    title: 'Roo Code',
    api: 'chat completions',
    where: 'Settings of the extension → Providers → API Provider "OpenAI Compatible"',
    text: ({ baseUrl, model, facts }) => `Base URL: ${baseUrl}
API key: <the value of ${KEY_VARIABLE}>
Model: ${model}${windowLines(facts)}`,
  },
  {
    name: 'zed',
    title: 'Zed',
    api: 'chat completions',
    where: 'settings.json',
    text: ({ baseUrl, model, facts }) => `// Start Zed with GATEWAY_API_KEY="$${KEY_VARIABLE}".
{
  "language_models": {
    "openai_compatible": {
      "Gateway": {
        "api_url": "${baseUrl}",
        "available_models": [
          { "name": "${model}", "display_name": "${model}", "max_tokens": ${facts?.contextTokens ?? 128_000} }
        ]
      }
    }
  },
  "agent": { "default_model": { "provider": "Gateway", "model": "${model}" } }
}`,
    note: 'You can also enter the key in the agent settings of Zed.',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    api: 'chat completions',
    where: 'Settings → Models',
    text: ({ baseUrl, model }) => `OpenAI API key: <the value of ${KEY_VARIABLE}>
Override OpenAI base URL: ${baseUrl}
Add model: ${model}`,
    note: 'Cursor sends requests from its own servers, so the address must be reachable over public HTTPS.',
  },
  {
    name: 'n8n',
    title: 'n8n, its OpenAI nodes',
    api: 'responses',
    where: 'Credentials → OpenAI',
    text: ({ baseUrl, model }) => `API key: <the value of ${KEY_VARIABLE}>
Base URL: ${baseUrl}
Model of the node "OpenAI Chat Model", by ID: ${model}`,
    note: `If "Use Responses API" is off, the node uses chat completions. ${N8N_TEST}`,
  },
  {
    name: 'n8n-anthropic',
    title: 'n8n, its Anthropic nodes',
    api: 'messages',
    where: 'Credentials → Anthropic',
    text: (place) => `API key: <the value of ${KEY_VARIABLE}>
Base URL: ${anthropicUrl(place)}
Model of the node "Anthropic Chat Model", by ID: ${place.model}`,
    note: `Its agents change the arguments of tool calls that they send back, which Gemini models may reject. For Gemini, use the OpenAI nodes. ${N8N_TEST}`,
  },
  {
    name: 'open-webui',
    title: 'Open WebUI',
    api: 'chat completions',
    where: SHELL,
    text: ({
      baseUrl,
    }) => `docker run -p 3000:8080 -e OPENAI_API_BASE_URLS=${baseUrl} -e OPENAI_API_KEYS="$${KEY_VARIABLE}" \\
  ghcr.io/open-webui/open-webui:main`,
    note: 'Inside a container, this machine has another host name, such as host.docker.internal.',
  },
  {
    name: 'openai-typescript',
    title: 'OpenAI SDK for TypeScript (openai)',
    api: 'chat completions',
    where: TYPESCRIPT,
    text: ({ baseUrl, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.${KEY_VARIABLE} });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    name: 'openai-python',
    title: 'OpenAI SDK for Python (openai)',
    api: 'chat completions',
    where: 'a file .py',
    text: ({ baseUrl, model }) => `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key=os.environ["${KEY_VARIABLE}"])
answer = client.chat.completions.create(
    model="${model}", messages=[{"role": "user", "content": "Hello!"}]
)
print(answer.choices[0].message.content)`,
  },
  {
    name: 'openai-go',
    title: 'OpenAI SDK for Go (github.com/openai/openai-go/v3)',
    api: 'chat completions',
    where: 'main.go',
    text: ({ baseUrl, model }) => `package main

import (
	"context"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(option.WithBaseURL("${baseUrl}/"), option.WithAPIKey(os.Getenv("${KEY_VARIABLE}")))
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    "${model}",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello!")},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Choices[0].Message.Content)
}`,
  },
  {
    name: 'anthropic-typescript',
    title: 'Anthropic SDK for TypeScript (@anthropic-ai/sdk)',
    api: 'messages',
    where: TYPESCRIPT,
    text: (place) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${anthropicUrl(place)}', apiKey: process.env.${KEY_VARIABLE} });
const answer = await client.messages.create({
  model: '${place.model}',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.content[0].text);`,
  },
  {
    name: 'ai-sdk',
    title: 'AI SDK (@ai-sdk/openai-compatible)',
    api: 'chat completions',
    where: TYPESCRIPT,
    text: ({ baseUrl, model }) => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: '${baseUrl}',
  apiKey: process.env.${KEY_VARIABLE},
  supportsStructuredOutputs: true,
});
const { text } = await generateText({ model: gateway('${model}'), prompt: 'Hello!' });
console.log(text);`,
    note: 'With @ai-sdk/openai, whose usual API is Responses, set providerOptions.openai.store to false, because the gateway stores nothing between requests.',
  },
  {
    name: 'langchain',
    title: 'LangChain (@langchain/openai)',
    api: 'chat completions',
    where: TYPESCRIPT,
    text: ({ baseUrl, model }) => `import { ChatOpenAI } from '@langchain/openai';

const chat = new ChatOpenAI({
  model: '${model}',
  apiKey: process.env.${KEY_VARIABLE},
  configuration: { baseURL: '${baseUrl}' },
});
console.log((await chat.invoke('Hello!')).text);`,
  },
  {
    name: 'openrouter-sdk',
    title: 'OpenRouter SDK (@openrouter/sdk)',
    api: 'chat completions',
    where: TYPESCRIPT,
    text: ({ baseUrl, model }) => `import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({ serverURL: '${baseUrl}', apiKey: process.env.${KEY_VARIABLE} });
const answer = await client.chat.send({
  chatRequest: { model: '${model}', messages: [{ role: 'user', content: 'Hello!' }] },
});
console.log(answer.choices[0].message.content);`,
    note: 'Set retryConfig: by default, this client retries failed requests for up to an hour.',
  },
  {
    name: 'curl',
    title: 'curl',
    api: 'messages',
    where: SHELL,
    text: ({
      baseUrl,
      model,
    }) => `curl ${baseUrl}/messages -H "authorization: Bearer $${KEY_VARIABLE}" -H "content-type: application/json" \\
  -d '{"model": "${model}", "max_tokens": 1000, "messages": [{"role": "user", "content": "Hello!"}]}'`,
  },
];
