import { indexes, TTL_ATTRIBUTE } from '../../lambdas/store/table/table.ts';

/** The gateway's single table, as the CDK stack and the local runtime create it. All key attributes are strings. */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttlAttribute: TTL_ATTRIBUTE,
  indexes: [{ ...indexes.sweep, projected: ['boot_id'] }],
};
