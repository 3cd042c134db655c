import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** License text that the Apache Software Foundation publishes, including the appendix. */
const APACHE_2_SHA256 = 'cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30';

const text = (path: string) => readFileSync(path, 'utf8');
const json = (path: string) => JSON.parse(text(path)) as Record<string, unknown>;

function readmeCommands(): string[] {
  const parts = text('README.md').split(/^```.*$/m);
  const lines = parts.filter((_part, index) => index % 2 === 1).flatMap((block) => block.split('\n'));
  return lines.flatMap((line) => line.replace(/\s+#.*$/, '').split(' && '));
}

/** Returns the commands of CI without arguments, because each job runs a shard of the tests. */
function workflowCommands(): string[] {
  return [...text('.github/workflows/ci.yml').matchAll(/^\s+- run: (.*?)(?: -- .*)?$/gm)].map(
    ([, command]) => command!,
  );
}

describe('the workflow of every push', () => {
  it('runs commands that README.md names, and no others', () => {
    expect(readmeCommands()).toEqual(expect.arrayContaining(workflowCommands()));
    expect(text('.github/workflows/ci.yml').match(/\brun: (?!bash \.github\/(?:start|subjects)\.sh\b)/gm)).toHaveLength(
      workflowCommands().length,
    );
    expect(text('.github/start.sh')).toContain('\nnpm start ');
  });

  it('installs, tests and synthesizes', () => {
    expect(workflowCommands()).toEqual(['npm ci', 'npm test', 'npm run synth']);
  });

  it('may read the repository, and nothing else', () => {
    expect(text('.github/workflows/ci.yml')).toMatch(/^permissions:\n {2}contents: read\n\n/m);
    expect(text('.github/workflows/ci.yml').match(/permissions:/g)).toHaveLength(1);
  });
});

describe('the license', () => {
  it('is Apache-2.0, word for word', () => {
    expect(createHash('sha256').update(text('LICENSE')).digest('hex')).toBe(APACHE_2_SHA256);
  });

  it('is the license in package.json', () => {
    expect(json('package.json')['license']).toBe('Apache-2.0');
  });
});

describe('the changelog', () => {
  const headings = [...text('CHANGELOG.md').matchAll(/^## \[(.+?)\]/gm)].map(([, version]) => version);

  it('begins with the unreleased changes', () => {
    expect(headings[0]).toBe('Unreleased');
  });

  it('has an entry for the version of the package', () => {
    expect(headings).toContain(json('package.json')['version']);
  });
});

describe('the security policy', () => {
  it('sends operators whose secret leaked to their next steps', () => {
    expect(text('SECURITY.md')).toContain('](docs/operations/leaked-secrets.md)');
  });
});

describe('the settings of editors', () => {
  it('have the line length of the formatter', () => {
    expect(text('.editorconfig')).toContain(`max_line_length = ${json('.oxfmtrc.json')['printWidth'] as number}\n`);
  });
});
