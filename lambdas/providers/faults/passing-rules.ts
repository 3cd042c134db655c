/** Rules for failures that usually go away, sent with the status of another error, or without a status. */

import { rulesFrom, type FaultRule } from './fault-rule.ts';

/** HTTP statuses of other errors, with which some providers also report temporary failures. */
const BLAMING_STATUSES = [400, 403, 404, 422, 500, 502];

/** Words for the part of a provider that fails, such as "The upstream server" and "Model qwen-3". */
const PART =
  '(?:(?:the|this|our|your|requested|selected|remote) )*(?:(?:ai|model|inference|upstream|backend|llm|api) ){0,2}(?:service|server|system|engine|model|backend|provider|upstream|endpoint|cluster)(?: (?:[`\'"][\\w./:@-]{1,120}[`\'"]|(?=[\\w./:@-]{0,100}\\d)[\\w./:@-]{1,120}))?';

const OVERLOADED = [
  'overloaded[.!]?$',
  String.raw`${PART} (?:is|are) (?:currently |temporarily |too |very )*(?:overloaded|busy|at (?:full |max(?:imum)? )?capacity|under (?:heavy|high) load|experiencing (?:high|heavy))\b`,
  // Matches "Service temporarily unavailable", but not "The service is currently unavailable in your country".
  String.raw`${PART} (?:is )?(?:temporarily|currently) (?:overloaded|busy|at (?:full |max(?:imum)? )?capacity|(?:unavailable|not available|offline)\b(?! (?:in|for|to)\b))`,
  String.raw`no (?:available|healthy) (?:channel|upstream|instance|worker|server|backend|node|replica)s?\b(?! tool)`,
  String.raw`(?:(?:we are |we.re )(?:currently )?|currently )(?:experiencing )?(?:high|heavy) (?:traffic|load|demand)\b|experiencing (?:high|heavy) (?:traffic|load|demand)\b`,
  '[当前该此本模型服务器系统上游分组负载请求并发数量过高多已饱和较大繁忙太，,。！! ]{2,60}请稍[后候](?:再试|重试)',
];

const RATE_LIMITED = [
  String.raw`(?:(?:api|request|token|model|provider|upstream|concurrency) )*rate[ -]?limit(?:s|ed)?(?: (?:is|was|has been))?(?: (?:exceeded|reached|hit)\b|[.!]?$)`,
  String.raw`too many (?:concurrent )?requests\b(?! in (?:a |the |this )?batch)`,
  String.raw`too many tokens\b,? (?:per (?:second|minute|hour|day)\b|please wait)`,
  String.raw`(?:you|your (?:account|key|api key|organization|project|team)) (?:have|has) (?:exceeded|reached|hit) (?:the|your|its) (?:\w{1,20} ){0,3}rate[ -]?limits?\b`,
  String.raw`(?:you|your requests?|requests?) (?:are|were|was|is) (?:being )?(?:rate[ -]?limited|throttled)\b`,
  String.raw`detected high-frequency\b`,
  '(?:您的|你的|当前|该)?(?:请求|访问|操作|调用)(?:过于|太|较)?(?:频繁|频率(?:过|太)(?:高|快))',
];

/** Excludes messages about fetching media, because the client's address of the media may be wrong. */
const OF_MEDIA = String.raw`(?![^\n]{0,120}\b(?:download|fetch|image|picture|url|file|media|audio|video))`;

const TIMED_OUT = [
  String.raw`(?:(?:the|your|this) )?(?:(?:upstream|inference|provider|backend|model|gateway) )*(?:request|response|operation|connection|server|service|upstream|inference|provider|backend|model|gateway) (?:has |was )?(?:timed[ -]?out|time-?out)\b${OF_MEDIA}`,
  String.raw`(?:context )?deadline exceeded\b${OF_MEDIA}`,
];

const BROKEN = [
  String.raw`(?:(?:an|the) )?(?:(?:internal|unexpected|unknown|upstream|backend|temporary) ){1,2}(?:(?:server|service|system|processing|routing) )?(?:error|failure|exception)(?: (?:has )?occurred)?(?: \(\d{3}\))?[.!]?$`,
  String.raw`upstream (?:server |service )?(?:error|failure|status):? (?:code:? )?5\d\d\b`,
  String.raw`stream (?:was )?(?:disconnected|closed|interrupted) before\b(?![^\n]{0,80}\b(?:context|tokens)\b)|unexpected eof[.!]?$|(?:read|write) tcp\b[^\n]{1,80}: [\w ]{1,40}$`,
  String.raw`(?:bad gateway|gateway time-?out|service unavailable|connection (?:refused|reset|closed|error)|socket hang up|fetch failed)[.!]?$`,
];

function startingWith(forms: readonly string[]): RegExp {
  return new RegExp(`^(?:${forms.join('|')})`, 'i');
}

const passingFailures: FaultRule[] = [
  // Errors of many providers, from https://github.com/diegosouzapw/OmniRoute/issues/11486
  ...rulesFrom('litellm', { kind: 'overload', message: startingWith(OVERLOADED) }),
  // Errors of many providers, from https://github.com/diegosouzapw/OmniRoute/pull/4986
  ...rulesFrom('litellm', { kind: 'rate', message: startingWith(RATE_LIMITED) }),
  // Errors of many providers, from https://github.com/ENTERPILOT/GoModel/issues/605
  ...rulesFrom(
    'litellm',
    { kind: 'timeout', message: startingWith(TIMED_OUT) },
    { kind: 'failure', message: startingWith(BROKEN) },
  ),
  // Errors of relays, from https://github.com/BerriAI/litellm/issues/41777
  ...rulesFrom('litellm', { kind: 'timeout', code: ['request_timeout'] }),
];

export const passingRules: FaultRule[] = passingFailures.flatMap((rule): FaultRule[] => [
  { ...rule, status: BLAMING_STATUSES, isGeneral: true },
  { ...rule, status: 'none', isGeneral: true },
]);
