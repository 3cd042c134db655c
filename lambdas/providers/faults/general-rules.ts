/** Rules for errors that many providers word in nearly the same way, and for LiteLLM, a proxy for many providers. */

import { rulesFrom } from './fault-rule.ts';

/** Words in providers' messages for the entity that has a limit or pays: an account, project, key or plan. */
const PAYER =
  '(?:billing )?(?:account|organization|organisation|workspace|project|team|tenant|api key|key|subscription|plan)';
/** Names of limits on money, or on usage in a month. These limits do not go away after a few minutes. */
const MONEY =
  '(?:spend|spending|monthly|credits?|balance|billing|prepaid|prepayment|funds|(?<!thinking |token |tokens |reasoning )budget)';

/** Patterns of messages which state that the operator's account has run out of money. */
const NO_MONEY = [
  // Examples: "Your organization has reached its spend limit", "You have run out of credits", "You've reached your
  // usage limit for this billing cycle"
  String.raw`(?:you|(?:your|the|this) ${PAYER}|${PAYER})(?:['’]ve| has| have) (?:already |either )?(?:reached|exceeded|hit|used|exhausted|run out)\b[^.\n]{0,60}\b${MONEY}\b`,
  // Examples: "Monthly usage limit reached", "The workspace spend limit has been reached", "Billing hard limit reached"
  String.raw`(?:(?:the|your|this) )?(?:${PAYER}(?:'s)? )?(?:daily |weekly |monthly |hard |total |maximum )*(?:spend|spending|billing|credit|budget|key|monthly(?: usage)?) (?:hard )?(?:limit|cap|budget|quota)s?(?: has been| have been| was| is)? (?:reached|exceeded|exhausted|hit)\b`,
  String.raw`(?:you(?: are|['’]re) )?(?:insufficient|not enough|no remaining|out of) (?:account |user |prepaid |available |wallet |credit |usd |or diem )*(?:balance|funds|credits?)\b`,
  String.raw`(?:(?:your|the|account|api key|wallet) )*(?:balance|credits?|funds|credit balance) (?:is |are |has been |have been )?(?:too low|exhausted|depleted|insufficient|not enough|negative|used up|empty)\b`,
  String.raw`(?:you|(?:your |the )?${PAYER}) (?:does not|do not|doesn.t|don.t) have (?:enough|sufficient) (?:credits?|balance|funds)\b`,
  String.raw`(?:you|(?:your |the )?${PAYER}) (?:has|have) no (?:remaining )?(?:credits?|balance|funds)\b`,
  String.raw`(?:your |the )?(?:(?:free |prepaid |trial |cloud )+(?:trial|tier|quota|credits?)|credits?|trial)(?: of \S{1,60})? (?:(?:has |have )?(?:expired|ended)|(?:is |are |has been |have been )?(?:exhausted|used up))\b`,
  String.raw`(?:please add a|no (?:valid )?) ?payment method|billing (?:is )?not (?:active|enabled)|account (?:is )?in arrears`,
  String.raw`payment (?:is )?required\b`,
  String.raw`(?:(?:you|your \w{1,20}) (?:have|has) )?(?:an? )?(?:unpaid invoices?|failed or incomplete payment)\b`,
];
/**
 * Patterns of messages about an invalid key, a missing permission, a closed account, or a contract or region without
 * the model.
 */
const REFUSED_ACCOUNT = [
  String.raw`(?:(?:your|the|this|an?) )?(?:provided |given )?(?:api|access|auth|authentication|authorization|bearer)[ -]?(?:key|token|credentials?)(?: provided)? (?:is|are|was|has|has been) (?:expired|invalid|not valid|incorrect|revoked|disabled|deleted|missing|unknown|not found)\b`,
  String.raw`(?:invalid|expired|incorrect|revoked|unknown|missing|malformed) (?:api|access|auth|authentication|authorization|bearer)[ -]?(?:key|token|credentials?)\b`,
  String.raw`you (?:do not|don.t) have (?:permission|access|permissions) to (?:access |use |call )?(?:this|the) (?:requested )?(?:model|organization|project|resource|endpoint|deployment|workspace|team|region)\b`,
  String.raw`access to (?:this|the) (?:requested )?model (?:requires|is restricted|is not)\b`,
  String.raw`(?:requests? from )?(?:your|this|the)(?: client| source)? (?:ip|country|region|location)(?: address)?[^.\n]{0,40} (?:is|are) not (?:allowed|authorized|permitted|supported)\b|ip (?:address )?not (?:allowed|authorized)\b`,
  String.raw`(?:your|the|this) ${PAYER}\b[^.\n]{0,60} (?:is|has been|was) (?:currently |temporarily )?(?:suspended|disabled|deactivated|blocked|banned|locked|frozen|overdue|in arrears|inactive|not active)\b`,
  String.raw`(?:(?:the|this|requested|model|service|api|feature) )*[\`'"]?[\w./:@-]{1,100}[\`'"]? (?:is|are) not (?:available|enabled|supported|accessible|permitted) (?:to|for|in|on|with|under) (?:your|this) (?:current )?(?:${PAYER}|region|tier|location|country)\b`,
];

/**
 * Patterns of messages which state that a content filter rejected the prompt, sometimes with the status of a rejected
 * account.
 */
const REFUSED_CONTENT = [
  String.raw`(?:(?:your|the|this|generated|uploaded|input|output) )*(?:request|prompt|input|message|content|output|response|conversation|text|image|picture|video|audio|media)s?\b[^.\n]{0,60} (?:flagged|blocked|rejected|refused|filtered|violates?|violated|violating)\b[^.\n]{0,80}\b(?:polic(?:y|ies)|moderation|safety|guidelines?|terms|harmful|unsafe|sensitive|inappropriate|content filter)`,
  String.raw`(?:content|safety|moderation) (?:policy|filter|guideline)s? (?:violation|triggered|violated)\b`,
  String.raw`(?:the |your )?(?:request failed because the )?(?:input|output)\b[^.\n]{0,40} may contain (?:inappropriate|sensitive)\b`,
];

function beginningWith(forms: readonly string[]): RegExp {
  return new RegExp(`^(?:${forms.join('|')})`, 'i');
}

export const generalRules = [
  // Errors of many providers, from https://platform.openai.com/docs/guides/safety-checks
  ...rulesFrom('litellm', { kind: 'request', message: beginningWith(REFUSED_CONTENT), isGeneral: true }),
  // Errors of New API, from https://github.com/NousResearch/hermes-agent/pull/100113
  ...rulesFrom('litellm', { kind: 'request', code: ['sensitive_words_detected'] }),
  // Errors of many providers, from https://github.com/dataelement/Clawith/issues/964
  ...rulesFrom('litellm', { kind: 'operator', message: beginningWith(NO_MONEY), isGeneral: true }),
  // Errors of many providers, from https://github.com/Wei-Shaw/sub2api/issues/1709
  ...rulesFrom('litellm', { kind: 'operator', message: beginningWith(REFUSED_ACCOUNT), isGeneral: true }),
  // Errors of many providers, from https://github.com/docker/docker-agent/pull/2818
  ...rulesFrom('litellm', {
    kind: 'size',
    status: [400, 422],
    message:
      /^(?:the )?(?:request |http )?(?:payload|body|entity)\b[^.\n]{0,40} (?:too large|exceeds?)\b|^(?:the )?request exceeds? [^.\n]{0,40}\b(?:bytes|[KM]i?B)\b/i,
    isGeneral: true,
  }),
  // Errors of LiteLLM, from https://docs.litellm.ai/docs/proxy/virtual_keys
  ...rulesFrom(
    'litellm',
    {
      kind: 'operator',
      code: ['budget_exceeded', 'key_model_access_denied', 'team_model_access_denied', 'auth_error'],
    },
    {
      kind: 'operator',
      message:
        /^(?:Authentication Error|Budget has been exceeded|ExceededBudget|(?:key|team) not allowed to access model)/i,
    },
  ),
];
