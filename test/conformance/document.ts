import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

const introduction = `# Conformance

\`npm run conformance\` writes this page from the measurements of \`test/conformance\`, and tests fail if it is out of date. The recordings are
real traffic of real providers, and no part of the repository; without them, their tests are skipped and say so.

- **Answers**: the decoder of its wire must give the text, reasoning, tool calls, stop reason and usage that the test's own reader finds in the recording,
  in a valid stream that passes the schemas of \`@ai-sdk/anthropic\` and becomes the same message in \`@anthropic-ai/sdk\`. A refusal must keep the
  provider's message.
- **Requests**: each recorded request is converted back into a Messages request, and encoded again. It may not contain a field, type or value that
  no recording of this provider contains, and must have the same meaning.
- **APIs of clients**: the same for recordings of OpenAI's two APIs in the opposite direction: a request enters through its API, an answer leaves
  through it, streamed and whole.
- **Clients**: each client does each task against one running gateway, with the first sandbox model of each wire. In a tool loop, it returns the
  answer as it stored it. In "cancel", it disconnects in the middle of a stream.
- **Agents**: the real Codex, Claude Code and opencode, set up as \`npm run admin -- clients\` prints, against strict fakes of the providers
  (\`test/conformance/agents\`). Scripted sessions on a model of each wire call tools of an MCP server and fill the context until the provider refuses
  the prompt in its own words; the agent must compact the conversation and continue.
- **Python**: the SDKs of Anthropic and OpenAI, LangChain, Pydantic AI and OpenAI's Agents SDK (\`test/conformance/python\`).

Agents and Python run nightly, and in \`npm test\` if they are installed: \`npm install --prefix test/conformance/agents\`;
\`pip install -r test/conformance/python/requirements.txt\`, then \`PYTHON=<interpreter> npm test -- test/conformance/python\`.`;

/** Returns a section of the page without changes. */
export function documented(title: string): string | undefined {
  const sections = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/\n\n(?=## )/);
  return sections.find((section) => section.startsWith(`## ${title}\n`));
}

export function writeDocument(sections: string[]): void {
  writeFileSync(path, `${[introduction, ...sections].join('\n\n')}\n`);
}
