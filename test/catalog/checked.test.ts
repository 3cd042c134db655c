import { describe, expect, it } from 'vitest';
import { readChecked, writeChecked } from '../../lambdas/catalog/checked.ts';
import { readCatalogFiles } from '../../lambdas/catalog/files.ts';
import { Money } from '../../lambdas/money/money.ts';
import { catalogDirectory, shippedCatalog, textModel } from '../support/catalog.ts';

describe('a catalog that was checked when the functions were bundled', () => {
  it('is read as it was written, to the last digit of its prices', () => {
    const files = readCatalogFiles(shippedCatalog);

    const read = readChecked(writeChecked(files));

    expect(read).toEqual(files);
    expect(read.models[0]!.endpoints[0]!.pricing!.prompt).toBeInstanceOf(Money);
  });

  it('is not written if a text has the form that marks amounts', () => {
    const pricing = { prompt: '0.1', completion: '0.2' };
    const model = textModel('test/model', [{ provider: 'anthropic', pricing }], { description: '₽5 a day' });
    const directory = catalogDirectory([model]);

    expect(() => writeChecked(readCatalogFiles(directory.path))).toThrow('description');
    directory.remove();
  });
});
