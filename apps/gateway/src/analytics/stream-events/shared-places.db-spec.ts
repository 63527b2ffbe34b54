import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import { openLimitDatabase } from '../../testing/limit-database.js';
import { SharedPlaces } from './shared-places.js';

const MOST = 3;

describe('the places of live streams over gateways, on a real Postgres', () => {
  let database: ServiceDatabase;
  const gateways: SharedPlaces[] = [];

  function gateway(most: number): SharedPlaces {
    const places = new SharedPlaces(database.openPool(1), most);
    gateways.push(places);
    return places;
  }

  beforeAll(async () => {
    database = await openLimitDatabase();
  });

  afterAll(() => {
    for (const each of gateways) each.close();
    return database.close();
  });

  it('gateways together give a name no more than its places, however many ask at once', async () => {
    const three = [1, 2, 3].map(() => gateway(MOST));
    const name = uniqueName('user');
    const asked = Array.from({ length: 12 }, (_, index) => three[index % 3]?.take(name));
    const taken = (await Promise.all(asked)).filter((place) => place !== undefined);
    expect(taken.map(({ place }) => place).toSorted()).toEqual([1, 2, 3]);
    expect(await three[0]?.take(uniqueName('other'))).toMatchObject({ place: 1 });
  });

  it('a place that was given back is free for every gateway', async () => {
    const [one, other] = [gateway(1), gateway(1)];
    const name = uniqueName('user');
    const place = await one.take(name);
    expect(await other.take(name)).toBeUndefined();
    if (place !== undefined) await one.giveBack(place);
    expect(await other.take(name)).toEqual({ name, place: 1 });
  });

  it('the places of a gateway that has gone are free, and one that only lost its connection has its own again', async () => {
    const [gone, stays] = [gateway(1), gateway(2)];
    const [name, mine] = [uniqueName('user'), uniqueName('user')];
    await gone.take(name);
    await stays.take(mine);
    await database.owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
      decodeURIComponent(new URL(database.url).username),
    ]);
    const place = await eventually(() => stays.take(name).catch(() => undefined));
    expect(place).toEqual({ name, place: 1 });
    expect(await stays.take(mine)).toEqual({ name: mine, place: 2 });
    expect(await gateway(2).take(mine)).toBeUndefined();
  });
});
