import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

const introduction = `# Conformance

Written by \`npm run conformance\`, from what \`test/conformance\` measures; the tests fail where this page is out of date. The
recordings are real traffic of real providers, and not part of the repository: without them, their tests are skipped and say so.

- **Answers**: each recorded answer goes through the decoder of its wire. Text, reasoning, tool calls, the reason to stop and the
  usage have to be what a reader of the test's own finds in the recording. What comes out has to be a sound stream, pass the
  schemas of \`@ai-sdk/anthropic\` event by event, and become the same message in \`@anthropic-ai/sdk\`. A refusal has to keep the
  provider's words.
- **Requests**: each recorded request is read backwards into the Messages request that says the same. What the encoder makes of
  it may have no field, type or word that no recording of this provider has, and, read backwards again, has to say the same.
- **Python**: the SDKs of Anthropic and OpenAI, LangChain, Pydantic AI and OpenAI's Agents SDK (\`test/conformance/python\`). They run nightly, and in \`npm test\` if they
  are installed: \`pip install -r test/conformance/python/requirements.txt\`, then \`PYTHON=<interpreter> npm test -- test/conformance/python\`.
- **APIs of clients**: recordings of OpenAI’s two APIs the other way round. A recorded request comes in through its API, is encoded for
  the same provider, and has to say the same; a recorded answer goes through the decoder and out through the API, streamed and whole,
  and the test’s own reader has to find the same text, reasoning, calls, reason to stop and usage in it.
- **Clients**: each client does each of these things against one running gateway, with the first sandbox model of each wire. In a
  tool loop, what was answered is sent back as the client keeps it; whoever cancels goes away in the middle of a stream, and the
  record of the request says so.`;

/** A section of the page, as it is. */
export function documented(title: string): string | undefined {
  const sections = readFileSync(path, 'utf8')
    .trimEnd()
    .split(/\n\n(?=## )/);
  return sections.find((section) => section.startsWith(`## ${title}\n`));
}

export function writeDocument(sections: string[]): void {
  writeFileSync(path, `${[introduction, ...sections].join('\n\n')}\n`);
}
