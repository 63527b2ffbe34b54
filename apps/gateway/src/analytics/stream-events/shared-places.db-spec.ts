import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import { openLimitDatabase } from '../../testing/limit-database.js';
import { SharedPlaces } from './shared-places.js';

const MOST = 3;

describe('the places of live streams over gateways, on a real Postgres', () => {
  let database: ServiceDatabase;

  beforeAll(async () => {
    database = await openLimitDatabase();
  });

  afterAll(() => database.close());

  it('gateways together give a name no more than its places, however many ask at once', async () => {
    const gateways = [1, 2, 3].map(() => new SharedPlaces(database.openPool(1), MOST));
    const name = uniqueName('user');
    const asked = Array.from({ length: 12 }, (_, index) => gateways[index % 3]?.take(name));
    const taken = (await Promise.all(asked)).filter((place) => place !== undefined);
    expect(taken.map(({ place }) => place).toSorted()).toEqual([1, 2, 3]);
    expect(await gateways[0]?.take(uniqueName('other'))).toMatchObject({ place: 1 });
  });

  it('a place that was given back is free for every gateway', async () => {
    const [one, other] = [
      new SharedPlaces(database.openPool(1), 1),
      new SharedPlaces(database.openPool(1), 1),
    ];
    const name = uniqueName('user');
    const place = await one.take(name);
    expect(await other.take(name)).toBeUndefined();
    if (place !== undefined) await one.giveBack(place);
    expect(await other.take(name)).toEqual({ name, place: 1 });
  });

  it('the places of a gateway that has gone are free, and one that only lost its connection has its own again', async () => {
    const pool = database.openPool(1);
    const [gone, stays] = [new SharedPlaces(pool, 1), new SharedPlaces(database.openPool(1), 2)];
    const [name, mine] = [uniqueName('user'), uniqueName('user')];
    await gone.take(name);
    await stays.take(mine);
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test-replica'`,
    );
    const place = await eventually(() => stays.take(name).catch(() => undefined));
    expect(place).toEqual({ name, place: 1 });
    expect(await stays.take(mine)).toEqual({ name: mine, place: 2 });
    expect(await new SharedPlaces(database.openPool(1), 2).take(mine)).toBeUndefined();
  });
});
