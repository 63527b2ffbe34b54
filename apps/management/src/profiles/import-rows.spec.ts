import { describe, expect, it } from '@jest/globals';
import type { ImportRow } from '@truetally/contracts/management';
import { importRows, type ImportSurroundings } from './import-rows.js';

const SITE = '1f1e2c3d-2d5e-4f7c-9d62-3c1f5b7a9e01';
const NOW_MS = Date.UTC(2026, 0, 31);

function surroundings(changes: Partial<ImportSurroundings> = {}): ImportSurroundings {
  let created = 0;
  return {
    workspaceId: SITE,
    siteId: SITE,
    known: new Map(),
    erased: new Set(),
    nowMs: NOW_MS,
    newId: () => `profile-${(created += 1)}`,
    ...changes,
  };
}
const row = (userId: string, fields: object = {}): ImportRow => ({ patch: { user_id: userId, ...fields } });

describe('importRows', () => {
  it('rows of one person are merged in their order, into one profile', () => {
    const { changed, report } = importRows(
      [row('a', { name: 'First', phone: '1' }), row('b'), row('a', { name: 'Second' })],
      1,
      surroundings(),
    );
    expect(changed.map(({ user_id, name, phone, version }) => [user_id, name, phone, version])).toEqual([
      ['a', 'Second', '1', 1],
      ['b', null, null, 1],
    ]);
    expect(report).toEqual({ done: 3, stored: 3, failed: 0, errors: [] });
  });

  it('a row that says nothing new changes no version, and one that does changes it once', () => {
    const [stored] = importRows([row('a', { name: 'A' })], 1, surroundings()).changed;
    if (stored === undefined) throw new Error('A profile is created.');
    const known = new Map([['a', stored]]);
    expect(importRows([row('a', { name: 'A' })], 1, surroundings({ known })).changed).toEqual([]);
    const rows = [row('a', { name: 'B' }), row('a', { phone: '2' })];
    const { changed } = importRows(rows, 1, surroundings({ known }));
    expect(changed).toMatchObject([{ id: stored.id, name: 'B', phone: '2', version: 2 }]);
  });

  it('rows that break a rule fail alone, each by its number, and without its values', () => {
    const errors = [{ row: 12, field: 'email', message: 'must be an e-mail address' }];
    const grown = row('big', { attributes: { b: 'y'.repeat(3_000) } });
    const rows = [row('big', { attributes: { a: 'x'.repeat(3_000) } }), { errors }, row('gone'), grown];
    const { report } = importRows(rows, 11, surroundings({ erased: new Set(['gone']) }));
    expect(report).toMatchObject({ done: 4, stored: 1, failed: 3 });
    expect(report.errors).toEqual([
      errors[0],
      { row: 13, field: 'user_id', message: 'names a person who was erased' },
      { row: 14, field: 'attributes', message: 'must be at most 4096 bytes as JSON' },
    ]);
  });
});
