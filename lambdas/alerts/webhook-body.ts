import type { AlertSettings } from '../store/alerts/alert-settings.ts';
import type { AlertDelivery } from '../store/alerts/deliveries.ts';

/** Returns the JSON body of a notice in the format of the settings. */
export function alertBody(
  { type, createdAtMs, data, text }: Pick<AlertDelivery, 'type' | 'createdAtMs' | 'data' | 'text'>,
  { format, chatId }: Pick<AlertSettings, 'format' | 'chatId'>,
): string {
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: escapedForSlack(text) });
    case 'telegram':
      return JSON.stringify({ chat_id: chatId, text, link_preview_options: { is_disabled: true } });
    case 'standard':
      // The data are inserted as text, so that amounts keep all their digits.
      return `{"type":${JSON.stringify(type)},"created_at":${Math.floor(createdAtMs / 1_000)},"data":${data}}`;
  }
}

/**
 * Escapes the characters that Slack interprets.
 * @see https://docs.slack.dev/messaging/formatting-message-text/#escaping
 */
function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
