import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Markdown pages of the repository, except results and notes of tests. */
export const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  '.github/pull_request_template.md',
  'lambdas/catalog/data/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path))
    .toSorted(),
];

export const pageText = (path: string) => readFileSync(path, 'utf8');

/** `isProse` is false in tables and blocks of code. */
interface PageLine {
  text: string;
  number: number;
  isCode: boolean;
  isProse: boolean;
}

export function linesOf(markdown: string): PageLine[] {
  let isFenced = false;
  return markdown.split('\n').map((text, index) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isFenced = !isFenced;
    const isCode = isFence || isFenced || text.startsWith('    ');
    return { text, number: index + 1, isCode, isProse: !isCode && !text.startsWith('|') };
  });
}

/** Returns the anchors of the headings. GitHub numbers repeated headings. */
export function anchorsOf(markdown: string): string[] {
  const counts = new Map<string, number>();
  return headingsOf(markdown).map((heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = counts.get(slug) ?? 0;
    counts.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

export function headingsOf(markdown: string): string[] {
  return linesOf(markdown).flatMap(({ text, isCode }) => (isCode ? [] : (/^#+ (.+)$/.exec(text)?.[1] ?? [])));
}

/** Returns the targets of links and pictures, without absolute URLs. */
export function linksOf(markdown: string): string[] {
  const prose = linesOf(markdown)
    .filter(({ isCode }) => !isCode)
    .map(({ text }) => text.replaceAll(/`[^`]*`/g, 'code'))
    .join('\n');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns the commands in lines of code blocks, and in texts between backticks. */
export function commandsOf(markdown: string): string[] {
  const inBlocks = linesOf(markdown.replaceAll('\\\n', ' '))
    .filter(({ isCode }) => isCode)
    .map(({ text }) => text);
  const inText = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...inBlocks, ...inText]
    .flatMap((line) =>
      line
        .trim()
        .replace(/\s+#.*$/, '')
        .split(' && '),
    )
    .map((command) => command.replace(/^(?:[A-Z_]+=\S+ )+/, ''));
}
