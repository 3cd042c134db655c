import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AwsError } from '../../lambdas/platform/aws/aws-call.ts';
import { isRejectedMail, mailsThrough, openMails, type Mails } from '../../lambdas/platform/mails.ts';
import { startFakeSns, type FakeSns } from '../support/fake-sns.ts';

const topicArn = 'arn:aws:sns:eu-central-1:123456789012:Mails';
const mail = { to: 'Team@example.com', subject: 'A subject', text: 'Два слова & one' };

let sns: FakeSns;
let service: Mails;
beforeEach(async () => {
  sns = await startFakeSns(topicArn);
  vi.stubEnv('AWS_ENDPOINT_URL_SNS', sns.url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  service = mailsThrough(topicArn);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await sns.stop();
});

/** SNS's messages about topics that do not exist. */
const wrongTopics = [
  { arn: 'Mails', message: 'Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1' },
  { arn: 'arn:aws:sns:us-east-1:123456789012:Mails', message: 'Invalid parameter: TopicArn' },
  { arn: `${topicArn}2`, message: 'Topic does not exist' },
];

const refusalOf = (work: Promise<void>) => work.catch((error: unknown) => error);

describe('an e-mail', () => {
  it('reaches only the address that it is for, once its owner has confirmed', async () => {
    await service.subscribe('team@example.com');
    await service.subscribe('other@example.com');
    await service.send(mail);
    expect(sns.mails).toEqual([]);

    sns.confirm('team@example.com');
    sns.confirm('other@example.com');
    await service.send(mail);

    expect(sns.mails).toEqual([{ ...mail, to: 'team@example.com' }]);
  });

  it('is sent once to an address that is subscribed with large and small letters', async () => {
    for (const address of ['team@EXAMPLE.com', 'Team@example.com']) await service.subscribe(address);
    sns.confirm('team@example.com');
    await service.send(mail);

    expect(sns.mails).toHaveLength(1);
  });

  it('that SNS rejects is not sent again', async () => {
    const error = await refusalOf(service.send({ ...mail, subject: 'Тема' }));

    expect(error).toMatchObject({ name: 'InvalidParameter', status: 400 });
    expect(isRejectedMail(error)).toBe(true);
    expect(sns.requests).toHaveLength(1);
  });

  it.each([
    { fault: 'an empty text', text: '' },
    { fault: 'a text that is too long', text: 'a'.repeat(256 * 1_024 + 1) },
  ])('with $fault is not sent again', async ({ text }) => {
    expect(isRejectedMail(await refusalOf(service.send({ ...mail, text })))).toBe(true);
  });

  it.each(wrongTopics)('is not rejected for its content if the topic is $arn', async ({ arn, message }) => {
    const error = await refusalOf(mailsThrough(arn).send(mail));

    expect(error).toMatchObject({ message });
    expect(isRejectedMail(error)).toBe(false);
  });

  it.each([
    { status: 400, code: 'Throttling' },
    { status: 429, code: 'Throttled' },
    { status: 503, code: 'ServiceUnavailable' },
  ])('is sent again after $code', async (failure) => {
    await service.subscribe('team@example.com');
    sns.confirm('team@example.com');
    sns.failures.push(failure);

    await service.send(mail);

    expect(sns.mails).toHaveLength(1);
  });
});

describe('a subscription', () => {
  it('of an address that SNS rejects names the field', async () => {
    const error = await refusalOf(service.subscribe('team@localhost'));

    expect(error).toMatchObject({ status: 400, metadata: { field: 'email' } });
  });

  it('beyond the limit of the topic is a conflict that names the field', async () => {
    for (let count = 0; count < 200; count += 1) await service.subscribe(`team-${count}@example.com`);

    const error = await refusalOf(service.subscribe('team@example.com'));

    expect(error).toMatchObject({ status: 409, metadata: { field: 'email' } });
  });

  it.each(wrongTopics)('is an error of the operator if the topic is $arn', async ({ arn, message }) => {
    const error = await refusalOf(mailsThrough(arn).subscribe('team@example.com'));

    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ message });
  });

  it('without permission is an error of the operator', async () => {
    sns.failures.push({ status: 403, code: 'AuthorizationError' });

    expect(await refusalOf(service.subscribe('team@example.com'))).toBeInstanceOf(AwsError);
  });
});

it('a gateway without a topic and without a directory sends no e-mails', () => {
  vi.stubEnv('MAIL_TOPIC_ARN', '');
  vi.stubEnv('GATEWAY_MAIL_DIRECTORY', '');

  expect(openMails()).toBeUndefined();
});
