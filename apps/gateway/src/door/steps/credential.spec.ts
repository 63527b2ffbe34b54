import { describe, expect, it } from '@jest/globals';
import { presentedInBody } from './body.js';
import { presentedInHeaders } from './credential.js';

const invalid = { ok: false, error: 'credential-invalid' };

describe('the credential of a request', () => {
  it('credentials are taken from exactly one header', () => {
    expect(presentedInHeaders({})).toEqual({ ok: true, value: undefined });
    expect(presentedInHeaders({ 'x-api-key': 'k' })).toMatchObject({ value: { kind: 'api-key', text: 'k' } });
    expect(presentedInHeaders({ authorization: 'bearer abc' })).toMatchObject({
      value: { kind: 'bearer', text: 'abc' },
    });
    expect(presentedInHeaders({ 'x-api-key': 'k', authorization: 'Bearer abc' })).toEqual({
      ok: false,
      error: 'credential-ambiguous',
    });
    for (const authorization of ['', 'Bearer', 'Bearer  ', 'Basic abc', 'Bearer a b', 'abc']) {
      expect(presentedInHeaders({ authorization })).toEqual(invalid);
    }
  });

  it('credentials are taken from exactly one text in a body', () => {
    for (const body of [null, 1, 'text', [], {}, { api_key: null }]) {
      expect(presentedInBody(body)).toEqual({ ok: true, value: undefined });
    }
    expect(presentedInBody({ api_key: 'k' })).toMatchObject({ value: { isInHeader: false } });
    expect(presentedInBody({ runtime_token: 't' })).toMatchObject({ value: { kind: 'bearer' } });
    expect(presentedInBody({ api_key: 'k', runtime_token: 't' })).toMatchObject({
      error: 'credential-ambiguous',
    });
    for (const body of [{ api_key: 1 }, { runtime_token: {} }, { api_key: ['k'] }]) {
      expect(presentedInBody(body)).toEqual(invalid);
    }
  });
});
