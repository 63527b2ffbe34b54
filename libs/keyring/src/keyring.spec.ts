import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { Keyring, type KeyringContent, MAX_KEYS, newKey, newKeyring, parseKeyring } from './index.js';

const NOW_MS = Date.parse('2026-01-31T09:30:00Z');
const OLD = newKeyring(NOW_MS);
const ADDED = newKey(NOW_MS);
const ROTATED: KeyringContent = {
  ...OLD,
  current: ADDED.id,
  keys: { ...OLD.keys, [ADDED.id]: ADDED.key },
  superseded: { [OLD.current]: '2026-01-31T09:30:00.000Z' },
};
const CONTEXT = ['click', 'site', 'touch'];
const text = fc.string({ unit: anyCharacter }).map((value) => value.toWellFormed());

describe('sealing', () => {
  const ring = new Keyring(OLD);

  it('opens to the sealed value, in its context', () => {
    fc.assert(
      fc.property(text, fc.array(text), (plain, context) => {
        expect(ring.open(ring.seal(plain, context), context)).toEqual({ ok: true, value: plain });
      }),
    );
  });

  it('opens in no other context, however the same letters are cut into it', () => {
    const letters = fc.array(fc.constantFrom('', 'a', 'b', 'ab', '1:', ':'), { maxLength: 4 });
    fc.assert(
      fc.property(letters, letters, (context, other) => {
        const isSame = JSON.stringify(context) === JSON.stringify(other);
        expect(ring.open(ring.seal('value', context), other).ok).toBe(isSame);
      }),
    );
  });

  it('opens no value with a changed bit, nor a part of one', () => {
    const { keyId, sealed } = ring.seal('value', CONTEXT);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(ring.open({ keyId, sealed: changed }, CONTEXT)).toEqual({ ok: false, error: 'not-authentic' });
    }
    for (let length = 0; length < sealed.length; length += 1) {
      const cut = sealed.subarray(0, length);
      expect(ring.open({ keyId, sealed: cut }, CONTEXT)).toEqual({ ok: false, error: 'not-authentic' });
    }
  });

  it('never seals equal values to equal bytes, and holds nothing of them', () => {
    const sealed = Array.from({ length: 1_000 }, () => ring.seal('a click value', CONTEXT).sealed);
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(sealed.length);
    expect(sealed.some((bytes) => bytes.includes('click'))).toBe(false);
  });

  it('uses the current key, and opens with every key of the ring', () => {
    const rotated = new Keyring(ROTATED);
    const before = ring.seal('value', CONTEXT);
    const after = rotated.seal('value', CONTEXT);
    expect([before.keyId, after.keyId]).toEqual([OLD.current, ADDED.id]);
    expect(rotated.open(before, CONTEXT)).toEqual({ ok: true, value: 'value' });
    expect(ring.open(after, CONTEXT)).toEqual({ ok: false, error: 'unknown-key' });
    expect(rotated.open({ ...before, keyId: ADDED.id }, CONTEXT)).toEqual({
      ok: false,
      error: 'not-authentic',
    });
  });
});

describe('the keyed hash', () => {
  const ring = new Keyring(OLD);

  it('the keyed hash is the same through rotations, and another one with another matching key', () => {
    const fields = ['click', 'site', 'value'];
    expect(ring.match(fields)).toMatch(/^[0-9a-f]{64}$/);
    expect(new Keyring(ROTATED).match(fields)).toBe(ring.match(fields));
    expect(new Keyring(newKeyring(NOW_MS)).match(fields)).not.toBe(ring.match(fields));
    expect(new Keyring(ROTATED).matchesAs(ring)).toBe(true);
    expect(new Keyring(newKeyring(NOW_MS)).matchesAs(ring)).toBe(false);
  });

  it('distinguishes any two lists of fields', () => {
    const fields = fc.array(fc.constantFrom('', 'a', 'b', 'ab', '1:', ':'), { maxLength: 4 });
    fc.assert(
      fc.property(fields, fields, (left, right) => {
        const isSame = JSON.stringify(left) === JSON.stringify(right);
        expect(ring.match(left) === ring.match(right)).toBe(isSame);
      }),
    );
  });
});

describe('a keyring', () => {
  it('shows its keys to no log line', () => {
    const shown =
      inspect(new Keyring(ROTATED), { depth: 9, showHidden: true }) + JSON.stringify(new Keyring(ROTATED));
    for (const key of [...Object.values(ROTATED.keys), ROTATED.matching_key])
      expect(shown).not.toContain(key);
  });

  it.each([
    ['', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    [{}, 'keys must hold 1 to 32 keys'],
    [{ ...OLD, keys: {} }, 'keys must hold 1 to 32 keys'],
    [
      {
        ...OLD,
        keys: Object.fromEntries(Array.from({ length: MAX_KEYS + 1 }, (_, n) => [`k${n}`, ADDED.key])),
      },
      'keys must hold 1 to 32 keys',
    ],
    [{ ...OLD, keys: { 'a b': ADDED.key } }, 'a key id must match ^[A-Za-z0-9._-]{1,64}$'],
    [{ ...OLD, keys: { a: 'c2hvcnQ=' } }, 'keys.a must be 32 bytes in base64'],
    [{ ...OLD, keys: { a: ADDED.key.slice(0, -1) } }, 'keys.a must be 32 bytes in base64'],
    [{ ...OLD, keys: { a: ` ${ADDED.key}` } }, 'keys.a must be 32 bytes in base64'],
    [{ ...OLD, keys: { a: 7 } }, 'keys.a must be 32 bytes in base64'],
    [{ ...OLD, matching_key: undefined }, 'matching_key must be 32 bytes in base64'],
    [{ ...OLD, current: 'other' }, 'current must be the id of one of its keys'],
    [{ ...OLD, current: 'constructor' }, 'current must be the id of one of its keys'],
    [{ ...OLD, rotating_to: 'other' }, 'rotating_to must be the id of one of its keys'],
    [{ ...OLD, superseded: 1 }, 'superseded must be an object'],
    [
      { ...OLD, superseded: { other: '2026-01-31T09:30:00Z' } },
      'superseded must give a time to ids of its keys',
    ],
    [{ ...OLD, superseded: { [OLD.current]: 'today' } }, 'superseded must give a time to ids of its keys'],
    [{ ...OLD, matching_key: OLD.keys[OLD.current] }, 'holds the same key twice'],
    [{ ...ROTATED, keys: { ...OLD.keys, [ADDED.id]: OLD.keys[OLD.current] } }, 'holds the same key twice'],
  ])('case %# is refused without a word of its keys', (content, fault) => {
    const parsed = parseKeyring(typeof content === 'string' ? content : JSON.stringify(content));
    expect(parsed).toEqual({ ok: false, error: fault });
  });

  it('a keyring is read as it was made, also in the middle of a rotation', () => {
    for (const content of [OLD, ROTATED, { ...ROTATED, rotating_to: ADDED.id }]) {
      expect(parseKeyring(JSON.stringify(content))).toEqual({ ok: true, value: content });
    }
  });

  it('the parser of keyrings never throws, whatever it reads', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void parseKeyring(JSON.stringify(value))));
    fc.assert(fc.property(fc.string(), (content) => void parseKeyring(content)));
  });

  it('makes keys that are not alike, with the day in their ids', () => {
    expect(newKey(NOW_MS).id).toMatch(/^2026-01-31-[0-9a-f]{8}$/);
    expect(newKey(NOW_MS).key).not.toBe(newKey(NOW_MS).key);
  });
});
