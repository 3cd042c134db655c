import { attribute, type Field } from '../table/record.ts';
import type { Item } from '../table/table.ts';

export const sensitiveActions = ['replace', 'block'] as const;
export const sensitiveCategories = [
  'email',
  'phone',
  'credential',
  'card',
  'passport',
  'snils',
  'inn',
  'ip_address',
] as const;
export type SensitiveCategory = (typeof sensitiveCategories)[number];

/** Settings that protect sensitive data. The terms in the dictionary are themselves secrets of the client. */
export interface SensitiveData {
  enabled: boolean;
  action: (typeof sensitiveActions)[number];
  categories: SensitiveCategory[];
  dictionary: { term: string; substitute: string }[];
  /** Whether the original text replaces the placeholders in the answer. */
  restore: boolean;
}

export type SensitiveDataChange = { [Field in keyof SensitiveData]?: SensitiveData[Field] | null | undefined };

export const noSensitiveData: SensitiveData = {
  enabled: false,
  action: 'replace',
  categories: [],
  dictionary: [],
  restore: true,
};

export const sensitiveDataField: Field<SensitiveData> = attribute('sensitive_data', {
  fromAttribute: (stored) => (stored === undefined ? noSensitiveData : { ...noSensitiveData, ...(stored as Item) }),
});

/** Merges a change field by field. Null in a field resets the field, and a change of null resets all fields. */
export function changeSensitiveData(current: SensitiveData, change: SensitiveDataChange | null): SensitiveData {
  if (change === null) return noSensitiveData;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const values = given.map(([field, value]) => [field, value ?? noSensitiveData[field as keyof SensitiveData]]);
  return { ...current, ...(Object.fromEntries(values) as Partial<SensitiveData>) };
}
