import { invalidRequest } from '../platform/errors.ts';
import type { AlertSettings } from '../store/alerts/alert-settings.ts';

/** Stands for the hidden part of a secret. It cannot be in a URL that a client sends, unless a response contained it. */
const HIDDEN = '…';
/** Number of characters at the end of a secret that are shown, so that people can tell secrets apart. */
const SHOWN_CHARACTERS = 3;

/**
 * Patterns of the secret part of a URL: the token of a Telegram bot after its public id, and the last part of the path
 * of a Slack webhook.
 */
const secretParts = {
  standard: undefined,
  slack: /(?<=\/)[^/?#]+(?=\/?(?:[?#].*)?$)/,
  telegram: /(?<=\/bot(?:\d+:)?)[^/:]+(?=\/|$)/,
} as const;

type Webhook = Pick<AlertSettings, 'webhookUrl' | 'format'>;

/** Returns the URL of a webhook without its secret. Every management key of an account may see it. */
export function maskedWebhookUrl({ webhookUrl, format }: Webhook): string | undefined {
  const secret = secretParts[format];
  if (webhookUrl === undefined || !secret) return webhookUrl;
  return webhookUrl.replace(secret, (text) => `${HIDDEN}${text.slice(-SHOWN_CHARACTERS)}`);
}

/**
 * Returns the URL that a change sets. If it is the masked URL of the stored settings, the stored URL stays. The format
 * must stay too, because responses would not mask the URL in another format.
 * @throws {GatewayError} 400 for any other masked URL
 */
export function webhookUrlOf(sent: Webhook, stored: Webhook | undefined): string | undefined {
  const { webhookUrl, format } = sent;
  if (!webhookUrl?.includes(HIDDEN)) return webhookUrl;
  if (stored && format === stored.format && webhookUrl === maskedWebhookUrl(stored)) return stored.webhookUrl;
  throw invalidRequest(
    'webhook_url',
    `has a hidden part ("${HIDDEN}"), and is not the stored URL in the stored format: send the whole URL`,
  );
}
