import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('./results.md', import.meta.url));

const introduction = `# Conformance

\`npm run conformance\` writes this page from the measurements of \`test/conformance\`, and tests fail if the page is out of date. The recordings are
real traffic of real providers. The repository does not contain the recordings; without them, their tests are skipped.

- **Answers**: the gateway decodes each recorded answer of a provider. A separate reader in the test finds text, reasoning, tool calls, stop reason and
  usage, and the decoded answer must have the same. \`@ai-sdk/anthropic\` and \`@anthropic-ai/sdk\` must accept the stream.
- **Requests**: the test converts each recorded request into a Messages request, and the gateway encodes it again. The result must have the same meaning,
  and only fields, types and values that recordings of this provider contain.
- **Client APIs**: recordings of OpenAI's two APIs also run in the opposite direction. The request enters through the client API, and the answer leaves
  through the client API, both streamed and as one body.
- **Clients**: each client library does each task against a running gateway, with the first sandbox model of each wire. The task "cancel" disconnects in
  the middle of a stream.
- **Agents**: Codex, Claude Code and opencode run scripted sessions against strict fakes of the providers (\`test/conformance/agents\`). When the fake
  refuses a prompt as too long, the agent must compact the conversation and continue.
- **Python**: the SDKs of Anthropic and OpenAI, LangChain, Pydantic AI and OpenAI's Agents SDK do similar tasks (\`test/conformance/python\`).

Tests of agents and Python run each night in CI, and in \`npm test\` if you install them. For agents, run
\`npm install --prefix test/conformance/agents\`. For Python, run \`pip install -r test/conformance/python/requirements.txt\`, then
\`PYTHON=<interpreter> npm test -- test/conformance/python\`.`;

/** Returns a section of `results.md`; undefined if there is none with this title. */
export function documented(title: string): string | undefined {
  const sections = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/\n\n(?=## )/);
  return sections.find((section) => section.startsWith(`## ${title}\n`));
}

export function writeDocument(sections: string[]): void {
  writeFileSync(path, `${[introduction, ...sections].join('\n\n')}\n`);
}
