import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { tableOf } from './index.js';

interface Thing {
  readonly id: string;
  readonly name: string;
  readonly size: number | null;
  readonly made_at: string;
  readonly details: object;
}

const THINGS = tableOf<Thing>('things', 'id', {
  id: ['thing_id', 'uuid'],
  name: 'text',
  size: 'integer',
  made_at: 'microseconds',
  details: 'json',
});
const THING = { id: 'a', name: 'b', size: null, made_at: '2026-01-01T00:00:00.000001Z', details: { c: [1] } };

describe('a description of a table', () => {
  it('writes the statements of a row, with a parameter for each column', () => {
    expect(THINGS.insert(THING, 'on conflict do nothing')).toEqual({
      text: 'insert into things (thing_id, name, size, made_at, details) values ($1, $2, $3, $4, $5) on conflict do nothing',
      values: ['a', 'b', null, THING.made_at, '{"c":[1]}'],
    });
    expect(THINGS.without('made_at', 'details').update('a', THING)).toEqual({
      text: 'update things set name = $2, size = $3 where thing_id = $1',
      values: ['a', 'b', null],
    });
    expect(THINGS.delete('a')).toEqual({ text: 'delete from things where thing_id = $1', values: ['a'] });
  });

  it('writes many rows as one array for each column', () => {
    const { text, values } = THINGS.only('id', 'size').insertAll([THING, { id: 'd', size: 2 }]);
    expect(text.trim()).toBe(
      'insert into things (thing_id, size) select * from unnest($1::uuid[], $2::integer[]) as given (thing_id, size)',
    );
    expect(values).toEqual(['{"a","d"}', '{NULL,"2"}']);
  });

  it('selects a column in the format of its field, from a table of any alias', () => {
    const at = `to_char(t.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as made_at`;
    expect(THINGS.only('id', 'made_at').selection('t')).toBe(`t.thing_id, ${at}`);
  });

  it('refuses an array in one of many rows, which Postgres would take apart', () => {
    const lists = tableOf<{ id: string; names: readonly string[] }>('lists', 'id', {
      id: 'uuid',
      names: 'text[]',
    });
    expect(() => lists.insertAll([{ id: 'a', names: ['b'] }])).toThrow('arrays of names');
  });

  it('pairs each column of any part of a table with the value of its field', () => {
    const fields = ['id', 'name', 'size', 'made_at', 'details'] as const;
    const columns = { id: 'thing_id', name: 'name', size: 'size', made_at: 'made_at', details: 'details' };
    fc.assert(
      fc.property(fc.subarray([...fields], { minLength: 1 }), (part) => {
        const { text, values } = THINGS.only(...part).insert(THING);
        const names = /\(([^)]*)\) values/.exec(text)?.[1]?.split(', ');
        expect(names).toEqual(part.map((field) => columns[field]));
        expect(values).toEqual(part.map((field) => (field === 'details' ? '{"c":[1]}' : THING[field])));
        const others = fields.filter((field) => !part.includes(field));
        expect(THINGS.without(...others).columns).toBe(names?.join(', '));
      }),
    );
  });

  it('a description of a table is a type error with an unknown, missing or wrongly typed column', () => {
    type Small = Pick<Thing, 'id' | 'size'>;
    // @ts-expect-error: the record has no such field.
    tableOf<Small>('things', 'id', { id: 'uuid', size: 'integer', colour: 'text' });
    // @ts-expect-error: a field has no column.
    tableOf<Small>('things', 'id', { id: 'uuid' });
    // @ts-expect-error: a number is not a text.
    tableOf<Small>('things', 'id', { id: 'uuid', size: 'text' });
    // @ts-expect-error: a part of it has only its columns.
    expect(() => THINGS.only('name', 'colour')).not.toThrow();
  });
});
