import { isMixed } from './secret.ts';
import type { Add, Rule } from './finding.ts';

const KEY_REST = '[A-Za-z0-9_-]';
const KEY_DIGITS = '0123456789';

/** Patterns of keys, after the possible first characters of these keys. */
const ISSUED: [string, string][] = [
  // Anthropic, OpenAI, OpenRouter, DeepSeek and others; ElevenLabs
  ['s', String.raw`sk-${KEY_REST}{20,}`],
  ['s', String.raw`sk_[a-f0-9]{40,}`],
  // Stripe and Razorpay
  ['srp', String.raw`(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}`],
  ['w', String.raw`whsec_[A-Za-z0-9+/=]{20,}`],
  ['r', String.raw`rzp_(?:live|test)_[A-Za-z0-9]{14,}`],
  // AWS, Alibaba and Tencent
  ['A', String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`],
  ['L', String.raw`LTAI[A-Za-z0-9]{16,}`],
  ['A', String.raw`AKID[A-Za-z0-9]{28,}`],
  // GitHub and GitLab
  ['g', String.raw`gh[pousr]_[A-Za-z0-9]{30,}`],
  ['g', String.raw`github_pat_[A-Za-z0-9_]{40,}`],
  ['g', String.raw`gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|agent)-[A-Za-z0-9_.-]{18,}`],
  // Keys and webhooks of Slack and Discord
  ['x', String.raw`xox[abeoprs]-[A-Za-z0-9-]{20,}`],
  ['x', String.raw`xapp-[A-Za-z0-9-]{20,}`],
  ['h', String.raw`https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,}`],
  ['h', String.raw`https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{15,}/${KEY_REST}{40,}`],
  ['MNO', String.raw`[MNO][A-Za-z\d]{22,}\.${KEY_REST}{6}\.${KEY_REST}{27,}`],
  // Google
  ['A', String.raw`AIza${KEY_REST}{30,}`],
  ['G', String.raw`GOCSPX-${KEY_REST}{20,}`],
  ['y', String.raw`ya29\.${KEY_REST}{20,}`],
  ['1', String.raw`1//0${KEY_REST}{25,}`],
  // Yandex (API keys, OAuth, IAM, static keys), and VK
  ['A', String.raw`AQVN${KEY_REST}{30,}`],
  ['y', String.raw`y[0-3]_${KEY_REST}{30,}`],
  ['t', String.raw`t1\.${KEY_REST}{20,}={0,2}\.${KEY_REST}{20,}={0,2}`],
  ['Y', String.raw`YC[AON]${KEY_REST}{22,}`],
  ['v', String.raw`vk1\.a\.${KEY_REST}{40,}`],
  // Telegram bots
  [KEY_DIGITS, String.raw`\d{8,10}:AA${KEY_REST}{30,}`],
  // SendGrid, Mailgun, Mailchimp, Brevo and Twilio
  ['S', String.raw`SG\.${KEY_REST}{16,}\.${KEY_REST}{30,}`],
  ['k', String.raw`key-[a-f0-9]{32}`],
  [`${KEY_DIGITS}abcdef`, String.raw`[a-f0-9]{32}-us\d{1,2}`],
  ['x', String.raw`xkeysib-[a-f0-9]{40,}${KEY_REST}*`],
  ['S', String.raw`SK[a-f0-9]{32}`],
  // npm, PyPI, RubyGems, crates.io, Docker and Hugging Face
  ['n', String.raw`npm_[A-Za-z0-9]{30,}`],
  ['p', String.raw`pypi-${KEY_REST}{40,}`],
  ['r', String.raw`rubygems_[a-f0-9]{40,}`],
  ['c', String.raw`cio[A-Za-z0-9]{32}`],
  ['d', String.raw`dckr_pat_${KEY_REST}{20,}`],
  ['h', String.raw`hf_[A-Za-z0-9]{30,}`],
  // DigitalOcean, Heroku, Fly, Netlify, Supabase, Notion, Figma, PlanetScale, Databricks, HashiCorp, Doppler and Pulumi
  ['d', String.raw`do[opr]_v1_[a-f0-9]{60,}`],
  ['H', String.raw`HRKU-${KEY_REST}{30,}`],
  ['nsf', String.raw`(?:nfp|sbp|ntn|figd|fo1)_${KEY_REST}{30,}`],
  ['p', String.raw`pscale_(?:tkn|pw|oauth)_${KEY_REST}{30,}`],
  ['d', String.raw`dapi[a-f0-9]{32}(?:-\d)?`],
  ['h', String.raw`hv[sbr]\.${KEY_REST}{24,}`],
  ['d', String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}`],
  ['p', String.raw`pul-[a-f0-9]{40}`],
  // Tailscale, and recovery keys of BitLocker
  ['t', String.raw`tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,}`],
  [KEY_DIGITS, String.raw`(?:\d{6}-){7}\d{6}`],
  // Grafana, New Relic, Sentry and Dynatrace
  ['g', String.raw`gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}`],
  ['N', String.raw`NR(?:AK|JS|II|IQ|RA)-[A-Za-z0-9]{20,}`],
  ['s', String.raw`sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,}`],
  ['d', String.raw`dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`],
  // Shopify, Square, Facebook, Atlassian, Linear, Notion, Airtable and Postman
  ['s', String.raw`shp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}`],
  ['s', String.raw`sq0(?:atp|csp|idp)-${KEY_REST}{22,}`],
  ['E', String.raw`EAA[A-Za-z0-9]{60,}`],
  ['A', String.raw`ATATT3${KEY_REST}{50,}={0,2}[A-F0-9]*`],
  ['l', String.raw`lin_(?:api|oauth)_[A-Za-z0-9]{32,}`],
  ['s', String.raw`secret_[A-Za-z0-9]{43}`],
  ['p', String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`],
  ['P', String.raw`PMAK-[a-f0-9]{24}-[a-f0-9]{34}`],
  // Groq, xAI, Perplexity, Fireworks, Replicate, Pinecone, NVIDIA, Tavily, LangSmith, Jina and Together
  ['gxpf', String.raw`(?:gsk|xai|pplx|fw)[_-][A-Za-z0-9]{30,}`],
  ['r', String.raw`r8_[A-Za-z0-9]{37}`],
  ['pntjl', String.raw`(?:pcsk_|nvapi-|tvly-|tgp_v1_|jina_|lsv2_[ps][tk]_)${KEY_REST}{24,}`],
  // The encryption tool age, and service accounts of 1Password
  ['A', String.raw`AGE-SECRET-KEY-1[A-Z0-9]{58}`],
  ['o', String.raw`ops_eyJ${KEY_REST}{100,}`],
  // JSON Web Tokens are not matched after a hyphen. Otherwise, in a text that repeats `-eyJ…`, each repetition would be
  // read to the end.
  ['e', String.raw`(?<!-)eyJ${KEY_REST}{8,}\.eyJ${KEY_REST}{8,}\.${KEY_REST}{8,}`],
];

/** Patterns by the code of a key's first character, which excludes many positions of a text. */
const ISSUED_KEYS = new Map(
  [...new Set(ISSUED.flatMap(([firsts]) => firsts.split('')))].map((first) => {
    const patterns = ISSUED.filter(([firsts]) => firsts.includes(first)).map(([, pattern]) => pattern);
    return [first.charCodeAt(0), new RegExp(patterns.join('|'), 'y')];
  }),
);

/** A key is searched only around at least this many consecutive letters, digits, `_` and `-`. */
const LEAST = 16;
const IN_ROW = Uint8Array.from({ length: 0x80 }, (_, code) => Number(/[\w-]/.test(String.fromCharCode(code))));

const KEY_HYPHEN = 0x2d;

/** Keys that are recognized by their form alone. Other keys must also mix kinds of characters. */
const EXACT = /^A[A-Z]{3}[A-Z2-7]{16}$|^(?:\d{6}-){7}\d{6}$/;
/** The end of keys that documentation uses as examples. */
const EXAMPLE = /EXAMPLE(?:KEY)?$/;

/** Characters that cannot be part of a key. */
const BOUND = /[\s"'`<>(){}[\],;]/;
const MAX_BEFORE_KEY = 128;
const MAX_AFTER = 8_192;

/** Examines only the text around at least LEAST consecutive key characters. */
export const findIssuedKeys: Rule = (text, _, add) => {
  let done = 0;
  for (let start = 0; start + LEAST <= text.length;) {
    const gap = lastGap(text, start);
    if (gap !== undefined) {
      start = gap + 1;
      continue;
    }
    const from = boundBefore(text, start, done);
    // A key may extend beyond the examined text. No key is read twice.
    done = Math.max(done, findBetween(text, from, boundAfter(text, start), add));
    start = done;
  }
};

/**
 * Finds the keys that begin between two positions.
 * @returns the end of the last key, which may be after `end`; `end` if there is no key
 */
function findBetween(text: string, from: number, end: number, add: Add): number {
  let seen = end;
  for (let start = from; start < end; start += 1) {
    const before = text.charCodeAt(start - 1);
    if (IN_ROW[before] === 1 && before !== KEY_HYPHEN && !isBotsAt(text, start)) continue;
    const pattern = ISSUED_KEYS.get(text.charCodeAt(start));
    if (!pattern) continue;
    pattern.lastIndex = start;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) continue;
    if ((isMixed(found) || EXACT.test(found)) && !EXAMPLE.test(found))
      add(start, start + found.replace(/[.-]+$/, '').length);
    start += found.length - 1;
    seen = start + 1;
  }
  return seen;
}

/**
 * Whether a position follows `/bot`. Only keys of Telegram bots may directly follow a word, as in
 * `…/bot123456789:AA…/sendMessage`.
 */
function isBotsAt(text: string, start: number): boolean {
  return text.startsWith('/bot', start - '/bot'.length);
}

/** Returns the last position within LEAST characters that is not a key character; undefined if all are. */
function lastGap(text: string, start: number): number | undefined {
  for (let index = start + LEAST - 1; index >= start; index -= 1) {
    if (IN_ROW[text.charCodeAt(index)] !== 1) return index;
  }
  return undefined;
}

function boundBefore(text: string, start: number, least: number): number {
  const first = Math.max(least, start - MAX_BEFORE_KEY);
  let from = start;
  while (from > first && !BOUND.test(text.charAt(from - 1))) from -= 1;
  return from;
}

function boundAfter(text: string, start: number): number {
  const last = Math.min(text.length, start + MAX_AFTER);
  let end = start + LEAST;
  while (end < last && !BOUND.test(text.charAt(end))) end += 1;
  return end;
}
