import { expect, it } from '@jest/globals';
import type pg from 'pg';
import { copyIn } from './copy-in.js';

/** What a client is given by one call. */
function queryOf(rows: string): object {
  const given: object[] = [];
  const client = { query: (query: object) => given.push(query) };
  void copyIn(client as unknown as pg.ClientBase, 'copy things from stdin', rows);
  return given[0] ?? {};
}

it('a copy has no function of its own beside its callback, which V8 would make in the old space', () => {
  const functions = Object.entries(queryOf('1\n')).filter(([, value]) => typeof value === 'function');
  expect(functions.map(([name]) => name).sort()).toEqual(['callback', 'reject', 'resolve']);
});

it('a copy that is answered leads neither to its rows nor to who waited', () => {
  const query = queryOf('1\n') as { callback: (error: null, results: object) => void };
  expect(query).toHaveProperty('messages', expect.any(Buffer));
  query.callback(null, { rows: [] });
  expect(query).toMatchObject({ messages: undefined, resolve: undefined, reject: undefined });
});
