import { reviewedItems } from '../../../lambdas/store/days/reviewed-items.ts';
import type { Attribute } from '../../../lambdas/store/table/record.ts';
import { AMOUNT_TYPE, amountAt, countAt, documentAt, textAt, type BooksView, type ColumnType } from './view.ts';

const forms: Record<Attribute['form'], { type: ColumnType; valueOf: (name: string) => string }> = {
  text: { type: 'varchar', valueOf: (name) => textAt('item', `${name}.S`) },
  time: { type: 'varchar', valueOf: (name) => textAt('item', `${name}.S`) },
  flag: {
    type: 'boolean',
    valueOf: (name) => `coalesce(CAST(${textAt('item', `${name}.BOOL`)} AS BOOLEAN), false)`,
  },
  count: { type: 'bigint', valueOf: (name) => countAt('item', name) },
  money: { type: AMOUNT_TYPE, valueOf: (name) => amountAt('item', name) },
  document: { type: 'varchar', valueOf: (name) => documentAt('item', name) },
};

/** Views of `items`, one for each kind of item, with a column for each attribute and the key of the item. */
export const itemViews: readonly BooksView[] = Object.entries(reviewedItems).map(([name, { entities, attributes }]) => {
  const columns = attributes.map(
    (attribute) => `  ${forms[attribute.form].valueOf(attribute.name)} AS "${attribute.name}"`,
  );
  const kinds = entities.map((entity) => `'${entity}'`).join(', ');
  return {
    name,
    columns: {
      ...Object.fromEntries(attributes.map((attribute) => [attribute.name, forms[attribute.form].type])),
      pk: 'varchar',
      sk: 'varchar',
    },
    query: `SELECT\n${columns.join(',\n')},\n  pk, sk\nFROM items WHERE entity IN (${kinds})`,
  };
});
