import { describe, expect, it } from 'vitest';
import { refuseUnprotected } from '../../lambdas/protection/sensitive-data.ts';
import { changeSensitiveData, noSensitiveData, sensitiveDataField } from '../../lambdas/store/sensitive-data.ts';
import { refused } from '../support/refused.ts';

describe('a key that asks for protection', () => {
  it('gets nothing through, and is told that nothing was sent', () => {
    const error = refused(() => refuseUnprotected({ ...noSensitiveData, enabled: true }));

    expect(error).toMatchObject({ status: 400, metadata: { field: 'sensitive_data' } });
    expect(error.message).toContain('nothing was sent');
  });

  it.each([undefined, { enabled: false }, { categories: ['email'], action: 'block' }])(
    'is none with these settings: %j',
    (stored) => {
      expect(() => refuseUnprotected(sensitiveDataField.read({ sensitive_data: stored }))).not.toThrow();
    },
  );

  it('still asks for it when other settings are changed or cleared', () => {
    const enabled = changeSensitiveData(noSensitiveData, { enabled: true });
    const changed = changeSensitiveData(enabled, { enabled: undefined, action: 'block', categories: null });

    expect(refused(() => refuseUnprotected(changed)).status).toBe(400);
  });

  it.each([null, { enabled: null }, { enabled: false }])('asks no longer after the change %j', (change) => {
    const enabled = changeSensitiveData(noSensitiveData, { enabled: true });

    expect(() => refuseUnprotected(changeSensitiveData(enabled, change))).not.toThrow();
  });
});
