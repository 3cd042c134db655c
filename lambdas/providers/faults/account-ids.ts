/**
 * Removes ids of the operator's account from a provider's message: clients must not learn which account serves them.
 */

const HIDDEN_ID = '[hidden]';

/** Matches ids such as `org-4aFx0…` (OpenAI, Moonshot), `org_01kgg5…` (Groq), and `ak-…` (Moonshot's keys). */
const PREFIXED_ID = /\b(?:org|proj|acct|ak|wrkspc)[-_](?=[a-z]*\d)[a-z\d]{12,64}\b/gi;
/** Matches the rare ids without a digit. They mix lower and upper case, as words such as `org-chart` do not. */
const ID_OF_LETTERS = /\b(?:org|proj|wrkspc)[-_](?=[A-Za-z]*[a-z][A-Z])[A-Za-z]{16,64}\b/g;
/** Matches UUIDs after words such as "org:" (Anthropic), "Team:" and "API key ID:" (xAI). */
const NAMED_UUID =
  /\b((?:org|organization|team|project|account|workspace|api key)(?: id)?[: ] ?)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;
/** Matches Google's project numbers, and account numbers within Amazon's resource names. */
const ACCOUNT_NUMBER = /\b(project_number:|arn:aws[\w-]{0,20}:[\w-]{0,30}:[\w-]{0,30}:)\d{4,20}\b/gi;

/** Returns a message in which ids of accounts, organizations, projects and keys in known forms are hidden. */
export function withoutAccountIds(message: string): string {
  return message
    .replace(PREFIXED_ID, HIDDEN_ID)
    .replace(ID_OF_LETTERS, HIDDEN_ID)
    .replace(NAMED_UUID, `$1${HIDDEN_ID}`)
    .replace(ACCOUNT_NUMBER, `$1${HIDDEN_ID}`);
}
