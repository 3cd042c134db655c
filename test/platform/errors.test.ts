import { describe, expect, it } from 'vitest';
import {
  errorEnvelope,
  errorKinds,
  GatewayError,
  kindOfMessagesType,
  kindOfStatus,
  toGatewayError,
  type ErrorKind,
} from '../../lambdas/platform/errors.ts';
import { StoreBusyError } from '../../lambdas/store/table/transact.ts';

const kinds = Object.keys(errorKinds) as ErrorKind[];

describe('an error of the gateway', () => {
  it.each(kinds)('of the kind %s has the envelope of the table of kinds', (kind) => {
    const error = new GatewayError(kind, 'No.', { metadata: { field: 'name' } });

    expect(errorEnvelope(error, 'req_1')).toEqual({
      type: 'error',
      error: {
        type: errorKinds[kind].messagesType,
        code: errorKinds[kind].status,
        message: 'No.',
        param: 'name',
        metadata: { error_type: kind, field: 'name' },
      },
      request_id: 'req_1',
    });
  });

  it('has null for the field if no field is wrong', () => {
    expect(errorEnvelope(new GatewayError('server', 'No.'), 'req_1').error).toMatchObject({ param: null });
  });

  it('may have its own status', () => {
    const error = new GatewayError('server', 'The function failed.', { status: 502 });

    expect(errorEnvelope(error, 'req_1').error).toMatchObject({ type: 'api_error', code: 502 });
  });

  it('is masked if it was not made for the client', () => {
    const error = toGatewayError(new Error('secret'));

    expect(error).toMatchObject({ kind: 'server', status: 500 });
    expect(error.message).not.toContain('secret');
  });

  it('is returned unchanged', () => {
    const error = new GatewayError('not_found', 'There is no key.');

    expect(toGatewayError(error)).toBe(error);
  });

  it('has a retry time if the table is busy', () => {
    expect(toGatewayError(new StoreBusyError())).toMatchObject({ status: 529, headers: { 'retry-after': '1' } });
  });
});

describe('the table of error kinds', () => {
  it.each([
    [400, 'invalid_request'],
    [502, 'provider_unavailable'],
    [529, 'provider_overloaded'],
    [418, undefined],
  ])('has the kind of the status %i', (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });

  it.each([
    ['invalid_request_error', 'invalid_request'],
    ['api_error', 'server'],
    ['overloaded_error', 'provider_overloaded'],
    ['teapot_error', undefined],
  ])('has the kind of the type %s', (type, kind) => {
    expect(kindOfMessagesType(type)).toBe(kind);
  });
});
