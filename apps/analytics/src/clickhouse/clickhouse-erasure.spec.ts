import { describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import type { ClickHouse } from './clickhouse-client.js';
import { ClickHouseErasure } from './clickhouse-erasure.js';

const KEY = { known: 'a', given: 'b' };

describe('the erasure of sessions in ClickHouse', () => {
  it('rows get their other keys when everything is read that was on its way while the keys became known', async () => {
    let readMs = 0;
    const done: string[] = [];
    const clickHouse = {
      rows: () => Promise.resolve([{ rows: 1 }]),
      run: (sql: string) => {
        done.push(/replaced_keys|alter table \w+/.exec(sql)?.[0] ?? sql);
        return Promise.resolve();
      },
    } as unknown as ClickHouse;
    const pool = {
      query: () => {
        // A fact is read with each look.
        readMs = readMs === 0 ? Date.now() - 1 : Date.now() + 1;
        done.push(`read`);
        return Promise.resolve({ rows: [{ at: readMs }] });
      },
    } as unknown as Pool;
    const elsewhere = new ClickHouseErasure(clickHouse, pool).ofKeys('site', [KEY]);
    await elsewhere.count();
    done.length = 0;
    readMs = 0;
    await elsewhere.erase();
    expect(done).toEqual(['replaced_keys', 'read', 'read', 'alter table events', 'alter table touches']);
  });
});
