import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isPoison } from './index.js';

const coded = (code: string): Error => Object.assign(new Error('something went wrong'), { code });

describe('poison is an error that the message itself causes', () => {
  it.each(['22001', '22P05', '22021', '23505', '23503', '23514', '54000'])('SQLSTATE %s', (code) => {
    expect(isPoison(coded(code))).toBe(true);
    expect(isPoison(new Error('it could not be stored', { cause: coded(code) }))).toBe(true);
  });

  it.each([new TypeError('x is undefined'), new RangeError('too long'), new SyntaxError('no JSON')])(
    '%s',
    (error) => {
      expect(isPoison(error)).toBe(true);
    },
  );
});

describe('no poison is', () => {
  it.each([
    ['a changed password', coded('28P01')],
    ['a role that may not log in', coded('28000')],
    ['a database that is gone', coded('3D000')],
    ['a revoked grant', coded('42501')],
    ['a table of a migration still to come', coded('42P01')],
    ['too many connections', coded('53300')],
    ['a full disk', coded('53100')],
    ['a failing disk', coded('58030')],
    ['a broken index', coded('XX002')],
    ['a refusal of a trigger', coded('P0001')],
    ['a standby', coded('25006')],
    ['a broken pipe', coded('EPIPE')],
    ['a full disk of ours', coded('ENOSPC')],
    ['an unknown certificate', coded('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['a certificate of another host', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a server without TLS', new Error('The server does not support SSL connections')],
    ['a refused connection behind fetch', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') })],
    ['what nobody has heard of', new Error('something else')],
    ['a text', 'thrown'],
    ['nothing', undefined],
  ])('%s', (_what, error) => {
    expect(isPoison(error)).toBe(false);
  });

  it('a SQLSTATE of any other class', () => {
    const digit = fc.constantFrom(...'0123456789ABCDFGHIJKLMNOPQRSTUVWXYZ');
    const states = fc.tuple(digit, digit, digit, digit, digit).map((digits) => digits.join(''));
    fc.assert(
      fc.property(states, (state) => {
        expect(isPoison(coded(state))).toBe(['22', '23', '54'].includes(state.slice(0, 2)));
      }),
    );
  });

  it('a cause that names itself in a circle', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(isPoison(first)).toBe(false);
  });
});
