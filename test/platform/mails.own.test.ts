import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { AwsError } from '../../lambdas/platform/aws/aws-call.ts';
import { mailsThrough, openMails } from '../../lambdas/platform/mails.ts';
import { listen, type Listening } from '../support/listen.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:Mails';

let sns: Listening;
let requests: URLSearchParams[];
let answers: { status: number; body: string }[];
beforeAll(async () => {
  sns = await listen(
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        requests.push(new URLSearchParams(body));
        const { status, body: answer } = answers.shift() ?? { status: 200, body: '<PublishResponse/>' };
        response.writeHead(status).end(answer);
      });
    }),
  );
});
afterAll(() => sns.stop());
afterEach(() => vi.unstubAllEnvs());

function mails() {
  requests = [];
  answers = [];
  vi.stubEnv('AWS_ENDPOINT_URL_SNS', sns.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  return mailsThrough(topicArn);
}

const mail = { to: 'Team@example.com', subject: 'A subject', text: 'Два слова & one' };

it('an e-mail reaches only the subscription of its address', async () => {
  const service = mails();

  await service.subscribe('team@EXAMPLE.com');
  await service.send(mail);

  const [subscription, publication] = requests.map((request) => Object.fromEntries(request));
  const name = publication!['MessageAttributes.entry.1.Value.StringValue'];
  expect(name).toMatch(/^[0-9a-f]{64}$/);
  expect(subscription).toEqual({
    Action: 'Subscribe',
    Version: '2010-03-31',
    TopicArn: topicArn,
    Protocol: 'email',
    Endpoint: 'team@EXAMPLE.com',
    'Attributes.entry.1.key': 'FilterPolicy',
    'Attributes.entry.1.value': JSON.stringify({ to: [name] }),
  });
  expect(publication).toMatchObject({ Action: 'Publish', Subject: 'A subject', Message: 'Два слова & one' });
});

it('an error of the service has its code, and a temporary one is retried', async () => {
  const service = mails();
  answers.push({ status: 503, body: 'busy' });
  await service.send(mail);
  expect(requests).toHaveLength(2);

  answers.push({ status: 400, body: '<ErrorResponse><Error><Code>InvalidParameter</Code></Error></ErrorResponse>' });
  const error = await service.send(mail).catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(AwsError);
  expect(error).toMatchObject({ name: 'InvalidParameter', status: 400 });
});

it('a gateway without a topic and without a directory sends no e-mails', () => {
  vi.stubEnv('MAIL_TOPIC_ARN', '');
  vi.stubEnv('GATEWAY_MAIL_DIRECTORY', '');

  expect(openMails()).toBeUndefined();
});
