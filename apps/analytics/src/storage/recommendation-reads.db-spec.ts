import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inSnapshot } from '@truetally/persistence';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { sessionKeyOf } from '../domain/keys.js';
import { erasureOf, openAnalyticsDatabase } from '../testing/analytics-database.js';
import type { ToldEvent } from '../testing/told-facts.js';
import { DAY_MINUTES, FIRST_DAY, purchase, tellProducts, view } from '../testing/told-products.js';
import { wrongProductSums } from '../verify-sums/product-sums.js';
import { sessionErasure } from './person-erasure.js';
import { PRODUCT_DAYS, forgetProducts } from './product-sweeper.js';
import { type ProductQuestion, RecommendationReads } from './recommendation-reads.js';

const DAY_MS = 86_400_000;

let database: ServiceDatabase;
let pool: Pool;
let reads: RecommendationReads;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = database.openPool(2);
  reads = new RecommendationReads(pool);
});

afterAll(() => database.close());

const tell = (siteId: string, told: readonly ToldEvent[], today?: number) =>
  tellProducts(pool, siteId, told, { today });
const find = async (siteId: string, question: Partial<Omit<ProductQuestion, 'siteId'>> = {}) => {
  const none = { sessionKey: null, productId: null, kind: null, withPopular: true };
  const [found] = await reads.find([{ siteId, ...none, ...question }]);
  return found;
};

describe('recommended products', () => {
  it('recommended products are the neighbours by their kind without what the session bought, and the site’s popular ones', async () => {
    const [siteId, other] = [randomUUID(), randomUUID()];
    await tell(other, [view('x', 'elsewhere')]);
    await tell(siteId, [
      ...['s', 't'].flatMap((session) => [view(session, 'a'), view(session, 'b')]),
      ...['u'].flatMap((session) => [view(session, 'a'), view(session, 'c')]),
      purchase('s', 'a', 'd'),
      ...['v', 'w', 'x'].map((session) => view(session, 'e')),
      ...['v', 'w'].map((session) => view(session, 'f', { isBot: true })),
    ]);
    const popular = ['a', 'd', 'e', 'b', 'c'];
    const none = { related: [], bought: [] };
    expect(await find(siteId, { productId: 'a', kind: 'view' })).toEqual({
      ...none,
      related: ['b', 'c'],
      popular,
    });
    expect(await find(siteId, { productId: 'a', kind: 'purchase', withPopular: false })).toEqual({
      ...none,
      related: ['d'],
      popular: [],
    });
    const session = { sessionKey: sessionKeyOf(siteId, 's') };
    const asBuyer = await find(siteId, { ...session, productId: 'b', kind: 'view' });
    expect(asBuyer).toEqual({ related: [], bought: expect.arrayContaining(['a', 'd']), popular });
    expect(await find(siteId)).toEqual({ ...none, popular });
    expect(await find(randomUUID())).toEqual({ ...none, popular: [] });
    const question = { sessionKey: null, productId: null, kind: null };
    const both = await reads.find([
      { ...question, siteId, withPopular: false },
      { ...question, siteId: other, withPopular: true },
    ]);
    expect(both.map((found) => found.popular)).toEqual([[], ['elsewhere']]);
  });

  it('recommended products of lately come before more of long ago', async () => {
    const siteId = randomUUID();
    const today = FIRST_DAY + 60;
    await tell(
      siteId,
      ['1', '2', '3'].map((session) => view(session, 'old')),
      today,
    );
    await tell(
      siteId,
      ['4', '5'].map((session) => view(session, 'new', { minute: 60 * DAY_MINUTES })),
      today,
    );
    expect((await find(siteId))?.popular).toEqual(['new', 'old']);
  });

  it('popular products of one class are in the order of their weights', async () => {
    const siteId = randomUUID();
    await database.owner.query(
      `insert into product_popularity select $1, id, weight, ${FIRST_DAY}, ${FIRST_DAY}
       from (values ('a', 10), ('b', 11), ('c', 1000), ('d', 0.001)) as one (id, weight)`,
      [siteId],
    );
    expect((await find(siteId))?.popular).toEqual(['c', 'b', 'a', 'd']);
    await database.owner.query('delete from product_popularity where site_id = $1', [siteId]);
  });

  it('recommended products are read by index, however many there are', async () => {
    const siteId = randomUUID();
    await database.owner.query(
      `insert into product_popularity select $1, n::text, n, ${FIRST_DAY}, ${FIRST_DAY} from generate_series(1, 20000) n`,
      [siteId],
    );
    await database.owner.query('analyze product_popularity');
    const { rows } = await database.owner.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers) select product_id from product_popularity where site_id = '${siteId}'
       order by weight_class desc, product_id limit 500`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('product_popularity_weight');
    expect(plan).not.toMatch(/Sort|Seq Scan/);
    await database.owner.query('delete from product_popularity where site_id = $1', [siteId]);
  });
});

describe('what is forgotten of products', () => {
  it('an event that is older than baskets are kept adds nothing', async () => {
    const siteId = randomUUID();
    await tell(siteId, [view('s', 'a')], FIRST_DAY + 91);
    expect((await find(siteId))?.popular).toEqual([]);
    await tell(siteId, [view('s', 'a')], FIRST_DAY + 90);
    expect((await find(siteId))?.popular).toEqual(['a']);
  });

  it.each([
    ['its quarters stay where sessions are counted', true, 3],
    ['its rows go where they are counted elsewhere', false, 0],
  ])(
    'a basket goes by its age, then products that nobody looks at, with their neighbours; %s',
    async (_, keepsEvents, quartersLeft) => {
      const siteId = randomUUID();
      const options = { keepsEvents };
      const again = view('s', 'a', { minute: 20 });
      await tellProducts(pool, siteId, [view('s', 'a'), view('s', 'b'), again], options);
      await tellProducts(pool, siteId, [view('t', 'b', { minute: 2 * DAY_MINUTES })], options);
      const counts = async () => {
        const { rows } = await database.owner.query<{ counts: number[] }>(
          `select array[
             (select coalesce(sum(cardinality(basket)), 0) from session_quarters where site_id = $1),
             (select count(*) from product_popularity where site_id = $1),
             (select count(*) from product_neighbours where site_id = $1)]::integer[] as counts`,
          [siteId],
        );
        return rows[0]?.counts;
      };
      const sweepOn = (day: number) => forgetProducts(database.openPool(1), day * DAY_MS, { aborted: false });
      await sweepOn(FIRST_DAY + 90);
      expect(await counts()).toEqual([3, 2, 2]);
      await sweepOn(FIRST_DAY + 91);
      expect(await counts()).toEqual([1, 2, 2]);
      // Other tests' products are swept as well, and some of theirs are newer than the baskets that are left.
      const wrong = await inSnapshot(database.owner, (client) =>
        wrongProductSums(client, FIRST_DAY + 1, 100),
      );
      expect(wrong.filter((one) => one.siteId === siteId)).toEqual([]);
      await sweepOn(FIRST_DAY + PRODUCT_DAYS + 1);
      expect(await counts()).toEqual([0, 1, 1]);
      const { rowCount } = await database.owner.query('select from session_quarters where site_id = $1', [
        siteId,
      ]);
      expect(rowCount).toBe(quartersLeft);
    },
  );

  it('a person’s session leads to nobody afterwards, and its sums stay', async () => {
    const siteId = randomUUID();
    await tell(siteId, [purchase('s', 'a'), view('t', 'b')]);
    const question = { sessionKey: sessionKeyOf(siteId, 's') };
    expect((await find(siteId, question))?.bought).toEqual(['a']);
    await sessionErasure(database.openPool(1)).step(erasureOf(siteId, ['s']));
    expect(await find(siteId, question)).toEqual({ related: [], bought: [], popular: ['a', 'b'] });
  });
});
