import { errorKinds, type ErrorKind } from '../../lambdas/platform/errors.ts';
import { errorGuides } from './error-guides.ts';

const errorLines = (Object.keys(errorGuides) as ErrorKind[]).map((kind) => {
  const { cause, cure } = errorGuides[kind];
  return `- **${errorKinds[kind].status}** \`${kind}\`: ${cause} _What to do:_ ${cure}`;
});

export const introduction = `One API in front of many AI model providers, billed in roubles.

## First request

Set \`GATEWAY_URL\` to the address of the gateway, which ends in \`/v1\`, and \`GATEWAY_KEY\` to an inference key; then this streams an answer:

\`\`\`sh
curl -N "$GATEWAY_URL/messages" \\
  -H "authorization: Bearer $GATEWAY_KEY" -H "content-type: application/json" \\
  -d '{"model": "sandbox/claude", "max_tokens": 200, "stream": true, "messages": [{"role": "user", "content": "Hello!"}]}'
\`\`\`

The \`sandbox/…\` models need no provider and exist only where the gateway runs on a laptop; elsewhere, use an id from \`GET /models\`.

## Keys

There are two kinds. An **inference key** (\`sk-mg-v1-…\`) calls models and reads what that costs. A **management key** (\`mk-mg-v1-…\`)
manages keys, workspaces, members and budgets, and cannot call models; the operator makes the first one. Either is sent as \`Authorization: Bearer <key>\` or as
\`x-api-key: <key>\`.

## Models and endpoints

A **model** is named by its id, such as \`anthropic/claude-sonnet-5\`. An **endpoint** is one provider’s offer of one model, with prices, limits and a
data policy of its own; a model may have several. A request goes to the cheapest endpoint that works, and to the next one if that fails before
its answer begins; \`provider\` in a request changes that. \`GET /models/{slug}/endpoints\` lists the endpoints of a model.

## Words

A **prompt** is all that a model reads: instructions, conversation and tools. Models read and write **tokens**, pieces of text of a few characters;
prices and limits count these. The **context** of a model is the most tokens that prompt and answer may have together. **Thinking** is text that a
model writes for itself before its answer. A **tool** is a function that a model may call, and that your program or the gateway runs. A key belongs to a
**workspace** of an **account**, and may belong to a **member**, a person or a program of yours. Each of them may have a limit of spending; that of a workspace or a
member is a **budget**. The **operator** runs the gateway, and makes the accounts. The **catalog** is the operator's list of models, endpoints and prices.

## Money

Prices are in roubles: per token, and per image, request, search or second of video where a model has such a price. A **hold** is money that is
set aside for a request: before it is sent, the most that its prompt and the first part of its answer may cost, and more while a long answer is written. The exact
cost is charged when the answer has ended, and the rest of the hold comes back. A request is refused (402) if a limit, a budget or the balance has no room for its first
hold; an answer whose hold cannot grow ends there, and says so in \`metadata\`. \`usage.cost\` of an answer, the charge, and the record of \`GET /generation\`
(which is there as soon as the cost is final, within a second as a rule) are the same number. A request that fails without output costs nothing.

## Answers

Every answer has the header \`request-id\`. An answer of a model also has \`x-generation-id\`, with which \`GET /generation\` returns its record.
On AWS, API Gateway itself refuses some requests before the gateway sees them, such as bodies that are too large (413): these answers have only \`request-id\`.
Answers of models and counts of tokens have \`server-timing\`: the milliseconds of the gateway itself and those of the provider, up to the answer's head. With
\`stream: true\` the answer comes as server-sent events while it is written.

## Errors

An error has one form on every route: \`error.type\` and \`error.message\` as clients of the Messages API read them, \`error.code\` with
the status, \`error.param\` with the field as clients of OpenAI’s APIs read it, and \`error.metadata.error_type\` with one of these kinds. A failure after the first byte of a stream comes as an \`error\` event
of the same form. An answer in one piece keeps its status for the first 210 seconds; after that a failure is a body of this form with the status 200.

${errorLines.join('\n')}`;
