import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cursorOf, readCursor } from './cursor.js';
import { parseInstant } from './instant.js';

const ID = '7f6e4b0a-52f7-4a86-9f3e-0123456789ab';

describe('a cursor', () => {
  it('a cursor is read as the position that it was made of, and fits into an address as it is', () => {
    const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(time, fc.uuid(), fc.constantFrom('', '1', '999'), (date, id, finer) => {
        const at = `${date.toISOString().replace('T', ' ').replace('Z', finer)}+00`;
        const cursor = cursorOf({ at, id });
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(readCursor(cursor)).toEqual({ at, id });
      }),
    );
  });

  it.each([
    '0000-01-01 00:00:00+00',
    '2026-02-30 00:00:00+00',
    '2026-02-31 09:30:00.1+00',
    '2026-13-01 00:00:00+00',
    '2026-01-01 24:00:00+00',
    '2026-01-01 23:60:00+00',
    '2026-01-01 23:59:60+00',
    '2026-01-01T00:00:00+00',
    '2026-01-01 00:00:00+02',
    'now',
    '',
  ])('a cursor at %j is none, because Postgres has no such time', (at) => {
    expect(readCursor(cursorOf({ at, id: ID }))).toBeUndefined();
  });

  it('a cursor of any text is a time and an id, or none; reading never throws', () => {
    const forged = fc
      .tuple(fc.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00$/), fc.constant(ID))
      .map(([at, id]) => cursorOf({ at, id }));
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[\w-]{0,90}$/), forged);
    fc.assert(
      fc.property(text, (cursor) => {
        const position = readCursor(cursor);
        if (position === undefined) return;
        expect(parseInstant(position.at.replace(' ', 'T').replace('+00', 'Z'))).toBeDefined();
        expect(position.id).toMatch(/^[0-9a-f-]{36}$/);
      }),
      { numRuns: 1_000 },
    );
  });
});
