/** Rules for errors that only the operator can fix, of providers of speech and videos. */

import { rulesFrom } from './fault-rule.ts';

export const mediaAccountRules = [
  // The library voice that the client chose does not fit into the operator's account. Errors of ElevenLabs, from
  // https://github.com/receptron/mulmocast-app/issues/1466
  ...rulesFrom('elevenlabs', { kind: 'operator', code: ['voice_limit_reached'] }),
  // Errors of ElevenLabs, from https://github.com/home-assistant/core/issues/160414
  ...rulesFrom('elevenlabs', {
    kind: 'operator',
    code: ['quota_exceeded', 'detected_unusual_activity'],
    isOwn: true,
  }),
  // Errors of Runway, from https://github.com/runwayml/sdk-node/issues/28
  ...rulesFrom('runway', {
    kind: 'operator',
    message:
      /^(?:You do not have enough credits|You (?:have|\w+ have) (?:reached|exceeded) (?:your|the) (?:daily|monthly) )/i,
  }),
];
