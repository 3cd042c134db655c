import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from './listen.ts';

interface Subscription {
  endpoint: string;
  filter: string;
  token: string;
  isConfirmed: boolean;
  createdAtMs: number;
}

interface DeliveredMail {
  to: string;
  subject: string;
  text: string;
}

/** Amazon SNS with one topic, for the requests that the gateway may send. */
export interface FakeSns {
  url: string;
  requests: URLSearchParams[];
  /** Sent e-mails, without confirmation messages. */
  mails: DeliveredMail[];
  /** Confirms a subscription, as the owner of the address does. */
  confirm: (address: string) => void;
  /** Addresses of confirmation messages, once for each message. */
  asked: string[];
  /** Whether the caller may also list and remove subscriptions. */
  isOperator: boolean;
  /** Errors of the next responses, in order. */
  failures: { status: number; code: string }[];
  nowMs: () => number;
  stop: () => Promise<void>;
}

/** @see https://docs.aws.amazon.com/general/latest/gr/sns.html */
const MAX_FILTERS_OF_TOPIC = 200;
/** @see https://repost.aws/knowledge-center/sns-email-subscription-disabled */
const UNCONFIRMED_FOR_MS = 48 * 3_600_000;
/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
const MAX_MESSAGE_BYTES = 256 * 1_024;
/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html */
const SUBSCRIPTIONS_OF_PAGE = 100;

class SnsError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Sources of the messages: https://github.com/wellcomecollection/platform/issues/1460 (message too long),
 * https://github.com/wellcomecollection/platform/issues/1107 (subject),
 * https://github.com/aws-samples/amazon-rekognition-video-analyzer/issues/41 (ARN of the topic).
 */
const invalid = (message: string) => new SnsError(400, 'InvalidParameter', `Invalid parameter: ${message}`);

export async function startFakeSns(topicArn: string): Promise<FakeSns> {
  const subscriptions: Subscription[] = [];
  const sns: FakeSns = {
    url: '',
    requests: [],
    mails: [],
    asked: [],
    failures: [],
    isOperator: false,
    nowMs: () => Date.now(),
    confirm(address) {
      const pending = subscriptions.find(({ endpoint }) => endpoint === address);
      if (!pending) throw new Error(`Nobody has subscribed ${address}`);
      pending.isConfirmed = true;
    },
    stop: async () => {},
  };
  const current = () => {
    const kept = subscriptions.filter(
      ({ isConfirmed, createdAtMs }) => isConfirmed || sns.nowMs() - createdAtMs < UNCONFIRMED_FOR_MS,
    );
    subscriptions.splice(0, subscriptions.length, ...kept);
    return subscriptions;
  };

  function subscribe(parameter: (name: string) => string): string {
    if (parameter('Protocol') !== 'email')
      throw invalid(`Amazon SNS does not support this protocol string: ${parameter('Protocol')}`);
    const endpoint = parameter('Endpoint');
    if (!/^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(endpoint)) throw invalid('Email address');
    if (parameter('Attributes.entry.1.key') !== 'FilterPolicy') throw invalid('Attributes');
    const filter = filterPolicy(parameter('Attributes.entry.1.value'));
    const known = current().find((one) => one.endpoint === endpoint);
    // See https://github.com/localstack/localstack/issues/8816.
    if (known && known.filter !== filter)
      throw invalid('Attributes Reason: Subscription already exists with different attributes');
    if (!known && subscriptions.length >= MAX_FILTERS_OF_TOPIC)
      throw new SnsError(403, 'FilterPolicyLimitExceeded', 'Too many filter policies');
    const token = randomUUID();
    if (!known) subscriptions.push({ endpoint, filter, token, isConfirmed: false, createdAtMs: sns.nowMs() });
    if (!known?.isConfirmed) sns.asked.push(endpoint);
    const arn = known?.isConfirmed ? `${topicArn}:${known.token}` : 'pending confirmation';
    return `<SubscribeResult><SubscriptionArn>${arn}</SubscriptionArn></SubscribeResult>`;
  }

  function publish(parameter: (name: string) => string): string {
    const [subject, text] = [parameter('Subject'), parameter('Message')];
    // See https://docs.aws.amazon.com/sns/latest/api/API_Publish.html.
    if (subject.length >= 100 || !/^[\x21-\x7e][\x20-\x7e]*$/.test(subject)) throw invalid('Subject');
    if (text === '') throw invalid('Empty message');
    if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) throw invalid('Message too long');
    const name = parameter('MessageAttributes.entry.1.Name');
    if (parameter('MessageAttributes.entry.1.Value.DataType') !== 'String') throw invalid('DataType');
    const value = parameter('MessageAttributes.entry.1.Value.StringValue');
    for (const { endpoint, filter, isConfirmed } of current()) {
      const accepted = (JSON.parse(filter) as Record<string, string[]>)[name];
      if (isConfirmed && accepted?.includes(value)) sns.mails.push({ to: endpoint, subject, text });
    }
    return `<PublishResult><MessageId>${randomUUID()}</MessageId></PublishResult>`;
  }

  function list(page: number): string {
    const members = current()
      .slice(page * SUBSCRIPTIONS_OF_PAGE, (page + 1) * SUBSCRIPTIONS_OF_PAGE)
      .map(({ endpoint, token, isConfirmed }) => {
        const arn = isConfirmed ? `${topicArn}:${token}` : 'PendingConfirmation';
        return `<member><Protocol>email</Protocol><Endpoint>${endpoint.replaceAll('&', '&amp;')}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`;
      });
    const next = current().length > (page + 1) * SUBSCRIPTIONS_OF_PAGE ? `<NextToken>${page + 1}</NextToken>` : '';
    return `<ListSubscriptionsByTopicResult><Subscriptions>${members.join('')}</Subscriptions>${next}</ListSubscriptionsByTopicResult>`;
  }

  function unsubscribe(arn: string): string {
    const parts = arn.split(':').length;
    if (parts < 6) throw invalid(`SubscriptionArn Reason: An ARN must have at least 6 elements, not ${parts}`);
    const index = current().findIndex(({ token, isConfirmed }) => isConfirmed && arn === `${topicArn}:${token}`);
    if (index === -1) throw new SnsError(404, 'NotFound', 'Subscription does not exist');
    subscriptions.splice(index, 1);
    return '';
  }

  function answer(request: URLSearchParams): string {
    const failure = sns.failures.shift();
    if (failure) throw new SnsError(failure.status, failure.code, 'A failure of the test');
    const parameter = (name: string) => {
      const value = request.get(name);
      if (value === null) throw invalid(`${name} Reason: no value for required parameter`);
      return value;
    };
    if (parameter('Version') !== '2010-03-31') throw new SnsError(400, 'InvalidAction', 'Version');
    const action = parameter('Action');
    if (action === 'Unsubscribe' && sns.isOperator) return unsubscribe(parameter('SubscriptionArn'));
    checkTopic(parameter('TopicArn'), topicArn);
    if (action === 'ListSubscriptionsByTopic' && sns.isOperator) return list(Number(request.get('NextToken')));
    if (action === 'Subscribe') return subscribe(parameter);
    if (action === 'Publish') return publish(parameter);
    throw new SnsError(403, 'AuthorizationError', `The functions may not call ${action}`);
  }

  const server = await listen(
    createServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
      incoming.on('end', () => {
        const request = new URLSearchParams(body);
        sns.requests.push(request);
        try {
          const result = answer(request);
          response
            .writeHead(200)
            .end(`<Response xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${result}</Response>`);
        } catch (error) {
          const { status, code, message } = error as SnsError;
          const text = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
          response.writeHead(status).end(`<ErrorResponse>${text}</ErrorResponse>`);
        }
      });
    }),
  );
  return Object.assign(sns, server);
}

/**
 * Checks the ARN of a topic in a request, as SNS does.
 * @throws {SnsError} if the topic does not have this ARN
 */
function checkTopic(arn: string, topicArn: string): void {
  const parts = arn.split(':');
  if (parts.length < 6) throw invalid(`TopicArn Reason: An ARN must have at least 6 elements, not ${parts.length}`);
  // All topics of the account are in the region of the request, so an ARN with another region is invalid.
  if (parts[3] !== topicArn.split(':')[3]) throw invalid('TopicArn');
  if (arn !== topicArn) throw new SnsError(404, 'NotFound', 'Topic does not exist');
}

/**
 * Checks a filter policy, and returns it.
 * @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html
 */
function filterPolicy(text: string): string {
  const policy = JSON.parse(text) as Record<string, unknown>;
  const entries = Object.entries(policy);
  if (entries.length === 0 || entries.length > 5) throw invalid('FilterPolicy: number of keys');
  const combinations = entries.map(([, values]) => (Array.isArray(values) ? values.length : 0));
  if (combinations.includes(0)) throw invalid('FilterPolicy: "values" must be an array');
  if (combinations.reduce((product, count) => product * count, 1) > 150) throw invalid('FilterPolicy: combinations');
  return text;
}
