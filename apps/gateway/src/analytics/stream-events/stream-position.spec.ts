import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PositionIds } from './stream-position.js';

const SITE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const OTHER = '7f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const [older, newer] = ['a', 'b'].map((kid) => ({ kid, secret: randomBytes(32) })) as [
  { kid: string; secret: Buffer },
  { kid: string; secret: Buffer },
];
const ids = new PositionIds([older]);
const LAST_OFFSET = 2 ** 40;
const MANY_PARTITIONS = 200;

describe('ids of a live stream', () => {
  it('an id names the position and the time that were written, for its site alone', () => {
    const offsets = fc.array(fc.integer({ min: 0, max: LAST_OFFSET }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(offsets, fc.integer({ min: 0, max: LAST_OFFSET }), (position, sentMs) => {
        const id = ids.write(SITE, { position, sentMs });
        expect(id.length).toBeLessThanOrEqual(200);
        expect(ids.read(SITE, id)).toEqual({ position, sentMs });
        expect(ids.read(OTHER, id)).toBeUndefined();
      }),
    );
  });

  it('an id is known after a rotation of the keys', () => {
    const id = ids.write(SITE, { position: [1, 2], sentMs: 5 });
    expect(new PositionIds([newer, older]).read(SITE, id)).toEqual({ position: [1, 2], sentMs: 5 });
    expect(new PositionIds([newer]).read(SITE, id)).toBeUndefined();
  });

  it('a text that no gateway wrote names nothing', () => {
    const id = ids.write(SITE, { position: [1, 2], sentMs: 5 });
    const texts = fc.oneof(fc.string(), fc.base64String({ minLength: 20, maxLength: 200 }));
    fc.assert(fc.property(texts, (text) => ids.read(SITE, text) === undefined));
    for (let at = 0; at < id.length - 1; at += 1) {
      const changed = id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
      expect([changed, ids.read(SITE, changed)]).toEqual([changed, undefined]);
    }
  });

  it('an id of more partitions than fit is short, and names nothing', () => {
    const position = Array.from({ length: MANY_PARTITIONS }, () => LAST_OFFSET);
    const id = ids.write(SITE, { position, sentMs: 5 });
    expect(id.length).toBeLessThanOrEqual(200);
    expect(ids.read(SITE, id)).toBeUndefined();
  });
});
