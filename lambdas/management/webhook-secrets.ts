import { invalidRequest } from '../platform/errors.ts';
import type { AlertSettings } from '../store/alerts/alert-settings.ts';

/** Stands for the hidden part of a secret. A valid URL does not contain it. */
const HIDDEN = '…';
/** Last characters of a long secret that are shown, so that people can tell secrets apart. */
const SHOWN_CHARACTERS = 3;
const LONG_CHARACTERS = 12;

/** Parts of a Slack path that are not secret, for example `services` and the id of the workspace. */
const PUBLIC_PARTS = 2;

/** The token of a Telegram bot, after the public id of the bot. */
const telegramToken = /(?<=\/bot\d+(?::|%3A))[^/]+/gi;

type Webhook = Pick<AlertSettings, 'webhookUrl' | 'format'>;

/**
 * Returns the URL of a webhook without its secrets, because management keys of the account may see it. The host and the
 * names of parameters are shown, and the path except its secret parts.
 */
export function maskedWebhookUrl({ webhookUrl, format }: Webhook): string | undefined {
  if (webhookUrl === undefined) return undefined;
  const { protocol, username, password, host, pathname, search, hash } = new URL(webhookUrl);
  const userinfo = username || password ? `${HIDDEN}@` : '';
  if (format === 'standard' && !userinfo && !search) return webhookUrl;
  const query = search.replaceAll(/(?<=[?&])([^&=]*=)?([^&]*)/g, (_, name = '', value: string) => name + masked(value));
  const fragment = hash && `#${HIDDEN}`;
  return `${protocol}//${userinfo}${host}${maskedPaths[format](pathname)}${query}${fragment}`;
}

const maskedPaths: Record<AlertSettings['format'], (path: string) => string> = {
  standard: (path) => path,
  slack(path) {
    const parts = path.split('/');
    const last = parts.findLastIndex(Boolean);
    // The first part is empty, because a path begins with "/". Secrets are long, or the last part.
    const isPublic = (part: string, index: number) =>
      index <= PUBLIC_PARTS && index !== last && part.length < LONG_CHARACTERS;
    return parts.map((part, index) => (isPublic(part, index) ? part : masked(part))).join('/');
  },
  telegram(path) {
    const known = path.replace(telegramToken, masked);
    return known === path ? `/${HIDDEN}` : known;
  },
};

/** Returns a secret in its masked form. An empty text stays empty. */
function masked(secret: string): string {
  if (!secret) return '';
  return `${HIDDEN}${secret.length < LONG_CHARACTERS ? '' : secret.slice(-SHOWN_CHARACTERS)}`;
}

/**
 * Returns the URL to store. A masked URL stands for the stored URL, if the format is the same. With another format, the
 * path could be shown later: other formats mask parts of it, but `standard` does not.
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
