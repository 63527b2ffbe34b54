import { describe, expect, it } from '@jest/globals';
import {
  endRotation,
  Keyring,
  type KeyringContent,
  MAX_KEYS,
  newKey,
  newKeyring,
  parseKeyring,
  promoteKey,
  retirableKeys,
  retireKeys,
  stageKey,
} from './index.js';

const NOW_MS = Date.parse('2026-01-31T09:30:00.000Z');
const DAY_MS = 86_400_000;
const CONTEXT = ['click', 'site', 'touch'];
const OLD = newKeyring(NOW_MS);
const ADDED = newKey(NOW_MS);

function staged(content: KeyringContent = OLD, key = ADDED): KeyringContent {
  const result = stageKey(content, key);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('a rotation', () => {
  it('lets a key open before it seals, and then seal', () => {
    const value = new Keyring(OLD).seal('value', CONTEXT);
    const first = new Keyring(staged());
    expect(first.currentKeyId).toBe(OLD.current);
    const second = new Keyring(promoteKey(staged(), NOW_MS));
    expect(second.currentKeyId).toBe(ADDED.id);
    expect(first.open(second.seal('value', CONTEXT), CONTEXT)).toEqual({ ok: true, value: 'value' });
    expect(second.open(value, CONTEXT)).toEqual({ ok: true, value: 'value' });
    expect(second.matchesAs(new Keyring(OLD))).toBe(true);
  });

  it('a rotation is at each step a ring that can be read, and knows its step', () => {
    const promoted = promoteKey(staged(), NOW_MS);
    const steps = [staged(), promoted, endRotation(promoted)];
    for (const step of steps) expect(parseKeyring(JSON.stringify(step))).toEqual({ ok: true, value: step });
    expect(steps.map(({ current, rotating_to }) => [current === ADDED.id, rotating_to])).toEqual([
      [false, ADDED.id],
      [true, ADDED.id],
      [true, undefined],
    ]);
    expect(promoteKey(promoted, NOW_MS + DAY_MS)).toBe(promoted);
  });

  it('a rotation does not begin during another one, nor in a full ring', () => {
    expect(stageKey(staged(), newKey(NOW_MS))).toEqual({ ok: false, error: 'a rotation is under way' });
    let ring = OLD;
    while (Object.keys(ring.keys).length < MAX_KEYS) {
      ring = endRotation(promoteKey(staged(ring, newKey(NOW_MS)), NOW_MS));
    }
    expect(stageKey(ring, ADDED)).toEqual({ ok: false, error: 'the ring holds 32 keys: retire some first' });
  });
});

describe('retiring', () => {
  const rotated = endRotation(promoteKey(staged(), NOW_MS));

  it('retiring is for keys that have sealed nothing for long enough', () => {
    expect(retirableKeys(rotated, NOW_MS + DAY_MS - 1, DAY_MS)).toEqual([]);
    expect(retirableKeys(rotated, NOW_MS + DAY_MS, DAY_MS)).toEqual([OLD.current]);
    expect(retirableKeys(OLD, NOW_MS + DAY_MS, DAY_MS)).toEqual([]);
  });

  it('removes the key and its description, and nothing else', () => {
    const retired = retireKeys(rotated, [OLD.current]);
    expect(retired).toEqual({ ...rotated, keys: { [ADDED.id]: ADDED.key }, superseded: {} });
    expect(parseKeyring(JSON.stringify(retired)).ok).toBe(true);
    expect(() => retireKeys(rotated, [ADDED.id])).toThrow('never retired');
  });

  it('never names a key that seals again', () => {
    const back: KeyringContent = { ...rotated, current: OLD.current };
    expect(retirableKeys(back, NOW_MS + DAY_MS, DAY_MS)).toEqual([]);
  });
});
