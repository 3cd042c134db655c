import { matchesOf, wordsBefore, type Add } from './finding.ts';
import { classesOf, isNoReference, isPassword, isQuotedPassword } from './secret.ts';

/** Passwords in options. After white space, the command must be one of the programs in LOGS_IN. */
const OPTION = /(?<![\w-])-(?:p|P|a|w|storepass)(\s?)["']?([^\s"'-][^\s"']{5,63})/g;
const LOGS_IN =
  /(?:sshpass|login|mysql|mariadb|mongo|redis-cli|ldap|smbclient|keytool|lftp|psql|sqlcmd|rdesktop|freerdp|vncviewer)[^\n|;]*$/;
const COMMAND = 80;

/** A cheap test of the text in lower case, and a pattern whose groups capture the password. */
const PLACES: [RegExp, RegExp][] = [
  // SQL
  [/identified /, /identified\s(?:with\s\w{1,32}\s)?by\s["']([^"'\n]{4,64})["']/gi],
  // ConvertTo-SecureString "…"
  [/securestring /, /securestring\s(?:-string\s)?["']([^"'\n]{4,64})["']/gi],
  // define('DB_PASSWORD', '…') or os.getenv("DB_PASSWORD", "…")
  [
    /pass\w{0,6}["'] ?,/,
    /(?:define|set\w{0,24}|put|add|with\w{0,24}|getenv|env|get|property)\(\s?["'][\w.-]{0,40}pass(?:word|wd|phrase)?["']\s?,\s?["']([^"'\n]{4,64})["']/gi,
  ],
  // auth=("name", "…")
  [/auth ?[=:] ?[([]/, /auth\s?[=:]\s?[([]\s?["'][^"'\n]{1,64}["']\s?,\s?["']([^"'\n]{4,64})["']/gi],
  // net use Z: \\host\share /user:DOMAIN\name …
  [
    /net use /,
    /net use [^\n]{0,120}\/user:\S{1,64}\s([^\s/"']{4,64})|net use [^\n]{0,80}\s([^\s/"'\\*]{4,64})\s\/user:/gi,
  ],
  // sqlplus name/…@host or jdbc:oracle:thin:name/…@host
  [/sqlplus |jdbc:oracle/, /(?:sqlplus\s(?:-\w\s)?|jdbc:oracle:\w{2,4}:)[\w.-]{1,64}\/([^\s@/"']{4,64})@/gi],
  // variable "db_password" { default = "…" }
  [
    /variable "/,
    /variable\s"[\w-]{0,40}(?:pass|secret|token|key)[\w-]{0,20}"\s?\{[^}]{0,200}?default\s{0,8}=\s?"([^"\n]{4,128})"/g,
  ],
  // A line of .pgpass
  [/:(?:\d{4,5}|\*):/, /(?<![\w.:/*-])[\w.*-]{1,64}:(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:([^\s:"']{4,64})/g],
];
/** A default value after the name of a secret: `|| 'value'`, `?? "value"`, `${NAME:-value}`. */
const DEFAULT =
  /(?:pass(?:word|wd|phrase)?|secret|token|api_?key)(?:["'\])]|\s){0,4}(?:[:=]\s?[^\n;|?]{0,64}?)?(?:(?:\|\||\?\?|\bor\b)\s?(?:["'`]([^"'`\n]{6,64})["'`])|:-([^\s}"']{6,64})\})/gi;

/**
 * Finds passwords in command-line options, SQL statements, function calls and configuration files.
 * @param lower the text in lower case
 */
export function findSecretArguments(text: string, lower: string, add: Add): void {
  if (text.includes('-')) findInOptions(text, add);
  for (const [word, place] of PLACES) if (word.test(lower)) findInArguments(text, place, add);
  if (/\|\||\?\?| or ["'`]|:-[^\s-]/.test(lower)) findInArguments(text, DEFAULT, add);
}

function findInArguments(text: string, place: RegExp, add: Add): void {
  for (const { 0: found, 1: first, 2: second, index } of matchesOf(place, text)) {
    const value = first ?? second ?? '';
    const start = index + found.lastIndexOf(value);
    if (isPassword(value) || isQuotedPassword(value)) add(start, start + value.length);
  }
}

function findInOptions(text: string, add: Add): void {
  for (const { 0: found, 1: blank, 2: value = '', index } of matchesOf(OPTION, text)) {
    const start = index + found.length - value.length;
    const isSecret =
      blank === ''
        ? found.startsWith('-p') && isNoReference(value) && classesOf(value) >= 3
        : isPassword(value) && LOGS_IN.test(wordsBefore(text, index, COMMAND));
    if (isSecret) add(start, start + value.length);
  }
}
