import { indexes, TTL_ATTRIBUTE } from '../../lambdas/store/table/table.ts';

/** The gateway's table; all key attributes are strings. */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttlAttribute: TTL_ATTRIBUTE,
  indexes: [{ ...indexes.sweep, projected: ['boot_id'] }],
};
