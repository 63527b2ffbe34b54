import { describe, expect, it } from '@jest/globals';
import type { ClientBase } from 'pg';
import { OtherWork } from './other-work.js';

/** A database that counts what is committed, and a clock. */
class Database {
  private nowMs = 0;
  private commits = 1_000_000;
  private readonly work = new OtherWork(() => this.nowMs);
  private readonly client = {
    query: () => Promise.resolve({ rows: [{ commits: this.commits }] }),
  } as unknown as Pick<ClientBase, 'query'>;

  isThereAfter(seconds: number, perSecond: number): Promise<boolean> {
    this.nowMs += seconds * 1_000;
    this.commits += seconds * perSecond;
    return this.work.isThere(this.client);
  }
}

describe('the work of others', () => {
  it('other work is supposed until the commits of some time are known', async () => {
    const database = new Database();
    const told: boolean[] = [];
    for (let step = 0; step < 5; step += 1) told.push(await database.isThereAfter(0.5, 10));
    expect(told).toEqual([true, true, true, false, false]);
  });

  it('other work is seen by what the database commits beside an import, and forgotten after seconds', async () => {
    const database = new Database();
    for (let step = 0; step < 6; step += 1) await database.isThereAfter(0.5, 30);
    expect(await database.isThereAfter(0.5, 30)).toBe(false);
    for (let step = 0; step < 6; step += 1) await database.isThereAfter(0.5, 150);
    expect(await database.isThereAfter(0.5, 150)).toBe(true);
    for (let step = 0; step < 12; step += 1) await database.isThereAfter(0.5, 30);
    expect(await database.isThereAfter(0.5, 30)).toBe(false);
  });

  it('other work is supposed again after a pause of the imports', async () => {
    const database = new Database();
    for (let step = 0; step < 4; step += 1) await database.isThereAfter(1, 10);
    expect(await database.isThereAfter(1, 10)).toBe(false);
    expect(await database.isThereAfter(60, 10)).toBe(true);
  });
});
