import { describe, expect, it } from 'vitest';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { readPublication, writePublication } from '../../lambdas/catalog/publication.ts';
import { shippedCatalog } from '../support/catalog.ts';

const files = readCatalogFiles(shippedCatalog);
const published = { publishedAt: '2026-11-23T12:00:00.000Z', by: 'ann', files };
const text = writePublication(published);
const [header, content] = text.split('\n') as [string, string];
const headed = (change: object) => `${JSON.stringify({ ...JSON.parse(header), ...change })}\n${content}\n`;

describe('a published catalog', () => {
  it('is read as it was checked, with every price', () => {
    expect(readPublication(text)).toEqual(published);
  });

  it('has its author, version and time in the first line', () => {
    expect(JSON.parse(header)).toMatchObject({
      form: 1,
      published_at: published.publishedAt,
      by: 'ann',
      version: files.version,
    });
  });

  it('may declare that no publication is in force', () => {
    const withdrawal = { ...published, files: undefined };
    expect(readPublication(writePublication(withdrawal))).toEqual(withdrawal);
  });

  it.each([
    ['with another price', text.replace('₽0.0003', '₽0.0004'), 'was altered'],
    ['that was cut', text.slice(0, -1_000), 'was altered'],
    ['cut at its first line', `${header}\n`, 'was altered'],
    ['without lines', header, 'is not a catalog'],
    ['that is empty', '', 'is not a catalog'],
    ['that is null', 'null\n', 'is not a catalog'],
    ['that is another file', '<html>\n</html>\n', 'is not a catalog'],
    ['of a later release', headed({ form: 2 }), 'has form 2, and this release reads 1'],
    ['with another version', headed({ version: 'other' }), 'The version of the published catalog differs'],
    ['without an author', headed({ by: '' }), 'is not a catalog'],
    ['of no time', headed({ published_at: 'yesterday' }), 'is not a catalog'],
  ])('is refused as a text %s', (_what, wrong, message) => {
    expect(() => readPublication(wrong)).toThrow(message);
  });
});
