/**
 * Sends e-mails through one SNS topic. Each address is a subscription with a filter for its messages, which the owner
 * of the address confirms. On a laptop, e-mails are files in a directory.
 */

import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AwsError } from './aws/aws-call.ts';
import { ownIdentity } from './aws/aws-identity.ts';
import { openAwsQuery } from './aws/aws-query.ts';
import { conflict, invalidRequest } from './errors.ts';
import { isOnOwnMachine, optionalVariable, variables } from './environment.ts';

export interface Mail {
  to: string;
  /** Subject of at most 99 ASCII characters. */
  subject: string;
  text: string;
}

export interface Mails {
  /**
   * Subscribes an address, unless it is subscribed. The owner of the address gets a message to confirm.
   * @throws {GatewayError} 400 if the address is not accepted; 409 if there is no room for further addresses
   * @throws {Error} if SNS fails in another way
   */
  subscribe(address: string): Promise<void>;
  /** @throws {Error} if the e-mail was not accepted; `isRejectedMail` of the error is true if a retry is useless */
  send(mail: Mail): Promise<void>;
}

/** Name of the message attribute that filters of subscriptions read. */
const RECIPIENT = 'to';

/** Opens the sender of e-mails that the environment configures; undefined without one. */
export function openMails(): Mails | undefined {
  const topicArn = optionalVariable(variables.mailTopic);
  if (topicArn !== undefined) return mailsThrough(topicArn);
  const directory = optionalVariable(variables.mailDirectory);
  return directory !== undefined && isOnOwnMachine() ? mailsInDirectory(directory) : undefined;
}

export const openSns = () =>
  openAwsQuery({ name: 'sns', version: '2010-03-31', address: { id: 'SNS', host: 'sns' } }, ownIdentity);

export function mailsThrough(topicArn: string): Mails {
  const call = openSns();
  return {
    async subscribe(address) {
      // The same address in capital letters would be a second subscription, which doubles each e-mail.
      const parameters = {
        TopicArn: topicArn,
        Protocol: 'email',
        Endpoint: address.toLowerCase(),
        'Attributes.entry.1.key': 'FilterPolicy',
        'Attributes.entry.1.value': JSON.stringify({ [RECIPIENT]: [addressHash(address)] }),
      };
      await call('Subscribe', parameters).catch((error: unknown) => {
        throw subscriptionError(error);
      });
    },
    async send({ to, subject, text }) {
      await call('Publish', {
        TopicArn: topicArn,
        Subject: subject,
        Message: text,
        'MessageAttributes.entry.1.Name': RECIPIENT,
        'MessageAttributes.entry.1.Value.DataType': 'String',
        'MessageAttributes.entry.1.Value.StringValue': addressHash(to),
      });
    },
  };
}

/**
 * Converts an error of `Subscribe`; errors that only the operator can fix stay unchanged.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html
 */
function subscriptionError(error: unknown): unknown {
  if (!(error instanceof AwsError)) return error;
  if (hasInvalid(error, /^(?:Email address|Endpoint)\b/))
    return invalidRequest('email', 'was rejected by Amazon SNS: use another address');
  switch (error.name) {
    case 'FilterPolicyLimitExceeded':
    case 'SubscriptionLimitExceeded':
      return conflict('Amazon SNS accepts no further e-mail addresses of this gateway. Use a webhook.', {
        field: 'email',
      });
    default:
      return error;
  }
}

/** Returns whether SNS has rejected an e-mail for its content, so that a retry is useless. */
export function isRejectedMail(error: unknown): boolean {
  return hasInvalid(error, /^(?:Subject|Message|Empty message)\b/);
}

/**
 * Returns whether SNS has rejected a parameter. The error code is the same for all parameters, so the message decides.
 * @see https://github.com/wellcomecollection/platform/issues/1460 (`Invalid parameter: Message too long`)
 * @see https://github.com/aws-samples/amazon-rekognition-video-analyzer/issues/41 (`Invalid parameter: TopicArn Reason: …`)
 */
function hasInvalid(error: unknown, parameter: RegExp): boolean {
  if (!(error instanceof AwsError) || error.name !== 'InvalidParameter') return false;
  return parameter.test(error.message.replace(/^(?:Invalid parameter: )+/, ''));
}

/** Returns a hash that stands for an e-mail address. Weakness: a guess of the address can be checked against it. */
export function addressHash(address: string): string {
  return createHash('sha256').update(address.toLowerCase()).digest('hex');
}

function mailsInDirectory(directory: string): Mails {
  return {
    subscribe: async () => {},
    async send({ to, subject, text }) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const mail = `To: ${to}\nSubject: ${subject}\n\n${text}\n`;
      writeFileSync(join(directory, `${randomUUID()}.txt`), mail, { mode: 0o600 });
    },
  };
}
