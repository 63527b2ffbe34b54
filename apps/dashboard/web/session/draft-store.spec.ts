import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepDraft, readDraft } from './draft-store.js';

const PLACE = { user: 'u', form: 'f' };

describe('a draft', () => {
  const kept = new Map<string, string>();
  let hasRoom = true;

  beforeEach(() => {
    const sessionStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => {
        if (!hasRoom) throw new DOMException('Full.', 'QuotaExceededError');
        kept.set(key, value);
      },
    };
    Object.assign(globalThis, { sessionStorage });
  });

  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'sessionStorage');
  });

  it('a draft that there is no room for leaves the one before, and is no error of the form', () => {
    keepDraft(PLACE, { name: 'typed' });
    hasRoom = false;
    keepDraft(PLACE, { name: 'typed on' });
    expect(readDraft(PLACE)).toEqual({ name: 'typed' });
  });
});
