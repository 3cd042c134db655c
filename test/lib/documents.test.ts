/** Links, anchors, commands, options and settings in the pages of the repository exist, and pages stay short. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../lib/admin/program.ts';
import { anchorsOf, commandsOf, headingsOf, linesOf, linksOf, pages, pageText } from '../support/markdown.ts';
import { wordCount } from '../support/prose.ts';

const MAX_LINE_LENGTH = 160;
const MAX_README_WORDS = 900;
/** Maximum number of words of all pages together. If a page needs more words, shorten another page. */
const MAX_DOCS_WORDS = 50_000;

const scripts = Object.keys((JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object }).scripts);

/** Files that list the options of a program. */
const optionSources: Record<string, string[]> = {
  start: ['lib/local/options.ts'],
  smoke: ['lib/smoke/run.ts'],
  drill: ['test/drills/run.ts', 'test/drills/deploy/run.ts'],
  history: ['test/history/main.ts'],
  bench: ['test/bench/main.ts'],
  'bench:console': ['test/bench/console.ts'],
  'bench:server': ['test/bench/server.ts'],
};

/** Folders to which the paths of programs in pages are relative. */
const sourceFolders = ['', 'lambdas', 'lib', 'test', 'lambdas/inference'];
/** Examples of files that a reader of CONTRIBUTING.md creates. */
const madeByRecipes = /\brerank\.ts$|\/keys\/disable\.ts$/;

/** Returns the first part of a command that does not exist. */
function unknownPart(command: string): string | undefined {
  const [, script, rest = ''] = /^npm (?:run (?:-s )?)?(?:-s )?([a-z:]+)(?: -- (.*))?$/.exec(command) ?? [];
  if (script === undefined) return command.startsWith('npm run ') ? unknownScript(command) : undefined;
  if (command.startsWith('npm run ') && !scripts.includes(script)) return script;
  if (script === 'admin') return unknownAdminPart(buildProgram(), shellWords(rest));
  return optionsIn(shellWords(rest)).find((option) => optionSources[script] && !hasOption(script, option));
}

function unknownScript(command: string): string | undefined {
  const script = command.split(' ')[2]!;
  return scripts.includes(script) || script.startsWith('<') ? undefined : script;
}

const shellWords = (line: string) =>
  (line.match(/<[^>]*>|(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).filter((word) => word !== '\\');
const optionsIn = (words: string[]) => words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0]!);

function hasOption(script: string, option: string): boolean {
  return optionSources[script]!.some((path) => pageText(path).includes(` ${option}`));
}

/** Returns the first unknown word. Each option must exist in the command or in a group above it. */
function unknownAdminPart(program: Command, words: string[]): string | undefined {
  const path = [program];
  let isValue = false;
  for (const word of words) {
    const current = path.at(-1)!;
    if (word.startsWith('--')) {
      const name = word.split('=')[0]!;
      const option = path.flatMap(({ options }) => options).find(({ long }) => long === name);
      if (option === undefined && name !== '--help') return name;
      isValue = option !== undefined && !option.isBoolean() && !word.includes('=');
    } else if (isValue) {
      isValue = false;
    } else if (current.commands.length > 0) {
      const next = current.commands.find((each) => each.name() === word);
      if (next === undefined) return /^[<…]/.test(word) ? undefined : word;
      path.push(next);
    }
  }
  return undefined;
}

describe.each(pages)('%s', (page) => {
  const markdown = pageText(page);

  it('links only to files and anchors that exist', () => {
    const dead = linksOf(markdown).filter((link) => {
      const [path, anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path!);
      if (!existsSync(target)) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(pageText(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('has only commands and options that exist', () => {
    const unknown = commandsOf(markdown)
      .map((command) => ({ command, unknown: unknownPart(command) }))
      .filter((each) => each.unknown !== undefined);
    expect(unknown).toEqual([]);
  });

  it('names only operator commands that exist', () => {
    const named = [...markdown.matchAll(/`admin ([^`\n]+)`/g)].map(([, words]) => words!);
    const unknown = named.filter((words) => unknownAdminPart(buildProgram(), shellWords(words)) !== undefined);
    expect(unknown).toEqual([]);
  });

  // The changelog may name files of earlier releases.
  it.skipIf(page === 'CHANGELOG.md')('names only programs of the repository that exist', () => {
    const named = [...markdown.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.tsx?)`/g)].map(([, path]) => path!);
    const missing = named.filter(
      (path) => !madeByRecipes.test(path) && !sourceFolders.some((folder) => existsSync(join(folder, path))),
    );
    expect(missing).toEqual([]);
  });

  it('names only settings that exist', () => {
    const settings = pageText('lib/aws/config.ts');
    const unknown = [...markdown.matchAll(/\bgateway:([a-zA-Z]+)/g)]
      .map(([, name]) => name!)
      .filter((name) => !settings.includes(`  ${name}: `));
    expect(unknown).toEqual([]);
  });

  it('closes each block of code, and has JSON that can be read', () => {
    expect(markdown.match(/^\s*```/gm)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
    const blocks = [...markdown.matchAll(/^```json\n([^]*?)^```/gm)].flatMap(([, json]) => json!.split(/\n(?=\{)/));
    for (const json of blocks) expect(() => JSON.parse(json)).not.toThrow();
  });

  it('has at most one command on each line of its blocks of code', () => {
    const second =
      /^(?!\s*[A-Z_]+=\S* npm).*[^|&;(`\s]\s+(?:npm (?:ci|start|test|run)|openssl|sha256sum|gunzip|curl)\s/;
    const blocks = [...markdown.matchAll(/^ *```(?:bash|sh)?\n([^]*?)^ *```$/gm)].flatMap(([, code]) =>
      code!.split('\n'),
    );
    expect(blocks.filter((line) => second.test(line))).toEqual([]);
  });

  it(`has lines of at most ${MAX_LINE_LENGTH} characters outside tables and code`, () => {
    const long = linesOf(markdown).filter(({ text, isProse }) => isProse && text.length > MAX_LINE_LENGTH);
    expect(long.filter(({ text }) => !text.startsWith('![')).map(({ number }) => number)).toEqual([]);
  });
});

const isReal = ({ id }: { id: string }) => !id.startsWith('sandbox');

describe('the pages', () => {
  it('include a README that is short', () => {
    expect(wordCount(pageText('README.md'))).toBeLessThanOrEqual(MAX_README_WORDS);
  });

  it('are short together', () => {
    const words = pages.filter((page) => page.startsWith('docs/')).map((page) => wordCount(pageText(page)));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAX_DOCS_WORDS);
  });

  it('state in the README the counts that the catalog has', () => {
    const catalog = 'lambdas/catalog/data';
    const parsed = (path: string) => JSON.parse(pageText(join(catalog, path))) as Record<string, { id: string }[]>;
    const models = readdirSync(join(catalog, 'models')).flatMap((file) => parsed(join('models', file))['models']!);
    const providers = parsed('providers.json')['providers']!;

    const stated = /\[(\d+) models\]\([^)]*\) from (\d+) provider APIs/.exec(
      pageText('README.md').replaceAll('**', ''),
    );

    expect(stated?.slice(1).map(Number)).toEqual([models.filter(isReal).length, providers.filter(isReal).length]);
  });
});

describe('mentions of pages in the program', () => {
  const sources = ['bin', 'lib', 'lambdas', 'test']
    .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((path) => join(room, path)))
    .filter((path) => /\.(?:tsx?|mjs|json)$/.test(path));
  const mentions = sources.flatMap((path) =>
    [...pageText(path).matchAll(/(?<![\w/.-])(docs\/[\w/-]+\.md)(?:#([\w-]+)|, "([A-Z][^"\n]+)")?/g)].map(
      ([, page, anchor, heading]) => ({ path, page: page!, anchor, heading }),
    ),
  );

  it('are found', () => expect(mentions.length).toBeGreaterThan(50));

  it('name pages and headings that exist', () => {
    const wrong = mentions.filter(({ page, anchor, heading }) => {
      if (!existsSync(page)) return true;
      if (anchor !== undefined) return !anchorsOf(pageText(page)).includes(anchor);
      return heading !== undefined && !headingsOf(pageText(page)).includes(heading);
    });
    expect(wrong).toEqual([]);
  });
});
