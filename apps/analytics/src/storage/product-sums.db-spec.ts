import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inSnapshot, inTransaction, markErased } from '@truetally/persistence';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import type { ToldEvent } from '../testing/told-facts.js';
import { DAY_MINUTES, purchase, tellProducts, tellProductsOf, view } from '../testing/told-products.js';
import { wrongProductSums } from '../verify-sums/product-sums.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { addAllParked, nextInLine, waitingInLine } from './parked-baskets.store.js';
import { RecommendationReads } from './recommendation-reads.js';

const DAYS = 3;
const PRODUCTS = [...'abcdefgh'];
const ALL_KEPT = 0;
/** Of one product. */
const KEPT_NEIGHBOURS = 64;
/** Together more than one fold adds. */
const LARGE_BASKETS = 50;

let database: ServiceDatabase;
let pool: Pool;
let reads: RecommendationReads;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = database.openPool(2);
  reads = new RecommendationReads(pool);
});

afterAll(() => database.close());

const events: fc.Arbitrary<readonly ToldEvent[]> = fc.array(
  fc
    .record({
      type: fc.constantFrom('product_view', 'product_view', 'add_to_cart', 'purchase', 'page_view'),
      session: fc.constantFrom('s', 't', 'u', 'v'),
      minute: fc.nat(DAYS * DAY_MINUTES - 1),
      isBot: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      product: fc.constantFrom(...PRODUCTS),
      lines: fc.subarray(PRODUCTS, { maxLength: 3 }),
    })
    .map(({ product, lines, ...event }) => ({
      ...event,
      id: randomUUID(),
      properties:
        event.type === 'purchase'
          ? { items: lines.map((item_id) => ({ item_id })) }
          : { product_id: product },
    })),
  { maxLength: 40 },
);

/** Of 32 products, of which every fourth is in all of them. */
function largeBaskets(length = LARGE_BASKETS): readonly ToldEvent[] {
  return Array.from({ length }, (_, session) =>
    purchase(
      `s${session}`,
      ...Array.from({ length: 32 }, (_, line) => `p${line % 4 === 0 ? line : `${session}-${line}`}`),
    ),
  );
}

/** What is stored, by definition: written without regard to how it is folded. */
function plainly(told: readonly ToldEvent[]) {
  const popularity = new Map<string, number>();
  const together = new Map<string, number>();
  const counted = told.filter(({ isBot }) => isBot !== true);
  const baskets = Map.groupBy(
    counted,
    ({ session, minute }) => `${session} ${Math.floor(minute / DAY_MINUTES)}`,
  );
  for (const [name, inside] of baskets) {
    const day = Number(name.split(' ')[1]);
    const named = (type: string) =>
      inside
        .filter((event) => event.type === type)
        .map(({ properties }) => properties as Readonly<Record<string, unknown>>);
    const idIn = ({ product_id }: Readonly<Record<string, unknown>>) => String(product_id);
    const lines = named('purchase').map(({ items }) =>
      (items as readonly { item_id: string }[]).map(({ item_id }) => item_id),
    );
    const carted = new Set(named('add_to_cart').map(idIn));
    const viewed = new Set([...named('product_view').map(idIn), ...carted]);
    const bought = new Set([...lines.flat(), ...(lines.some((of) => of.length === 0) ? carted : [])]);
    const add = (sums: Map<string, number>, key: string, weight: number) =>
      sums.set(key, (sums.get(key) ?? 0) + weight);
    for (const [ids, points] of [
      [viewed, 1],
      [carted, 3],
      [bought, 10],
    ] as const) {
      for (const id of ids) add(popularity, id, points * 2 ** (day / 14));
    }
    for (const [kind, ids] of [
      ['view', viewed],
      ['purchase', bought],
    ] as const) {
      for (const id of ids)
        for (const other of ids) if (id !== other) add(together, `${kind} ${id} ${other}`, 2 ** (day / 90));
    }
  }
  return { popularity, together };
}

async function stored(siteId: string) {
  const popular = await database.owner.query<{ key: string; weight: number }>(
    'select product_id as key, weight from product_popularity where site_id = $1',
    [siteId],
  );
  const lists = await database.owner.query<{ key: string; weight: number }>(
    `select concat_ws(' ', kind, product_id, other) as key, weight
     from product_neighbours, unnest(others, weights) as one (other, weight) where site_id = $1`,
    [siteId],
  );
  return { popularity: popular.rows, together: lists.rows };
}

const wrongOnes = () => inSnapshot(database.owner, (client) => wrongProductSums(client, ALL_KEPT, 9));

function expectSums(
  rows: readonly { key: string; weight: number }[],
  sums: ReadonlyMap<string, number>,
): void {
  expect(rows.map(({ key }) => key).toSorted()).toEqual([...sums.keys()].toSorted());
  for (const { key, weight } of rows) expect(weight / (sums.get(key) ?? 0)).toBeCloseTo(1, 9);
}

describe('what visitors buy and look at together', () => {
  it('sums of products and sessions are those of all events, in whatever order and batches these come, also when they were kept elsewhere', async () => {
    const delivered = events.chain((told) =>
      fc.tuple(
        fc.constant(told),
        fc.shuffledSubarray([...told, ...told], { minLength: 2 * told.length }),
        fc.array(fc.nat(80), { maxLength: 3 }),
        fc.infiniteStream(fc.boolean()),
      ),
    );
    await fc.assert(
      fc.asyncProperty(delivered, async ([told, facts, cuts, areKept]) => {
        const siteId = randomUUID();
        const bounds = [0, ...cuts.toSorted((left, right) => left - right), facts.length];
        for (const [index, end] of bounds.entries())
          await tellProducts(pool, siteId, facts.slice(bounds[index - 1] ?? 0, end), {
            keepsEvents: areKept.next().value ?? true,
          });
        const expected = plainly(told);
        const expectProducts = async () => {
          const { popularity, together } = await stored(siteId);
          expectSums(popularity, expected.popularity);
          expectSums(together, expected.together);
        };
        await expectProducts();
        // The operator goes back to events in Postgres, and has all facts read once more.
        await tellProducts(pool, siteId, facts, { keepsEvents: true });
        await expectProducts();
        const all = { since: new Date(0), basketsSince: ALL_KEPT, most: 1_000 };
        const wrong = await verifySums(database.owner, all);
        // A purchase without an amount is no purchase of the reports.
        expect(wrong.filter((sum) => sum.siteId === siteId && sum.table !== 'purchases')).toEqual([]);
      }),
      { numRuns: 40 },
    );
    expect(await wrongOnes()).toEqual([]);
  });

  it('what is too much for one fold waits in line while another site’s is added, and is then added in pieces, each once', async () => {
    const [siteId, other] = [randomUUID(), randomUUID()];
    await tellProductsOf(pool, [
      ...largeBaskets().map((event) => ({ siteId, event })),
      { siteId: other, event: view('s', 'a') },
    ]);
    expect((await stored(other)).popularity.map(({ key }) => key)).toEqual(['a']);
    expect(await stored(siteId)).toEqual({ popularity: [], together: [] });
    expect(await wrongOnes()).toEqual([]);
    await addAllParked(pool, { aborted: false });
    const { popularity, together } = await stored(siteId);
    expect([popularity.length, together.length]).toEqual([
      8 + 24 * LARGE_BASKETS,
      24 * LARGE_BASKETS * 31 + 8 * KEPT_NEIGHBOURS,
    ]);
    expect(popularity.find(({ key }) => key === 'p0')?.weight).toBeCloseTo(10 * LARGE_BASKETS);
    expect(await wrongOnes()).toEqual([]);
  });

  it('a fold does not wait for whoever changes products of its site', async () => {
    const siteId = randomUUID();
    await inTransaction(pool, async (client) => {
      await client.query(`select pg_advisory_xact_lock(hashtextextended('products of ' || $1, 0))`, [siteId]);
      await tellProducts(pool, siteId, [view('s', 'a'), view('s', 'b')]);
    });
    expect((await stored(siteId)).popularity).toEqual([]);
    await tellProducts(pool, siteId, [view('t', 'b'), view('t', 'c')]);
    await addAllParked(pool, { aborted: false });
    expect((await stored(siteId)).together.map(({ key }) => key).toSorted()).toEqual(
      ['a b', 'b a', 'b c', 'c b'].map((pair) => `view ${pair}`),
    );
    expect(await wrongOnes()).toEqual([]);
  });

  it('baskets in line have their turn by workspace: one with many sites has no more turns than one with a single one', async () => {
    const [merchant, many] = [randomUUID(), Array.from({ length: 5 }, () => randomUUID())];
    const single = `ffffffff${randomUUID().slice(8)}`;
    const workspaceOf = (siteId: string) => (siteId === single ? single : merchant);
    for (const siteId of [...many, single])
      await tellProducts(pool, siteId, largeBaskets(12), { workspaceOf });
    expect(await waitingInLine(pool)).toBeGreaterThan(0);
    let turns = 0;
    const afterTwo = {
      get aborted() {
        return (turns += 1) > 2;
      },
    };
    await addAllParked(pool, afterTwo);
    expect((await stored(single)).popularity).not.toEqual([]);
    await addAllParked(pool, { aborted: false });
    for (const siteId of many) expect((await stored(siteId)).popularity).not.toEqual([]);
    expect(await waitingInLine(pool)).toBe(0);
  });

  it('the next workspace in turn is found without reading its line', async () => {
    const id = randomUUID();
    await database.owner.query(
      `insert into parked_baskets (workspace_id, site_id, day, before, added, sessions, gains)
       select $1, $1, 1, '{}', '{va}', 1, 1 from generate_series(1, 5000)`,
      [id],
    );
    await database.owner.query('analyze parked_baskets');
    let plan = '';
    const query = async (text: string, values: unknown[]) => {
      const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values);
      plan = JSON.stringify(rows);
      return pool.query(text, values);
    };
    expect(await nextInLine({ query } as never)).toEqual({ workspaceId: id, siteId: id });
    const read = [...plan.matchAll(/"Actual Rows":([\d.]+)/g)].map(([, rows]) => Number(rows));
    expect(Math.max(...read)).toBe(1);
    await database.owner.query('delete from parked_baskets where site_id = $1', [id]);
  });

  it('what a workspace’s many sites gain in a fold is not before what another’s single site gains', async () => {
    const [merchant, many] = [randomUUID(), Array.from({ length: 12 }, () => randomUUID())];
    const single = randomUUID();
    const told = many.flatMap((siteId) => largeBaskets(1).map((event) => ({ siteId, event })));
    const others = largeBaskets(2).map((event) => ({ siteId: single, event }));
    await tellProductsOf(pool, [...told, ...others], {
      workspaceOf: (siteId) => (siteId === single ? single : merchant),
    });
    expect((await stored(single)).popularity).not.toEqual([]);
    await addAllParked(pool, { aborted: false });
  });

  it('what waits in line of an erased site is added to nothing', async () => {
    const siteId = randomUUID();
    await tellProducts(pool, siteId, largeBaskets());
    await markErased(pool, [siteId]);
    await addAllParked(pool, { aborted: false });
    expect(await stored(siteId)).toEqual({ popularity: [], together: [] });
  });

  it('a full list of neighbours is within its bound, which the verification computes', async () => {
    const siteId = randomUUID();
    // 100 neighbours of one product, of which some come again: 64 are kept.
    for (let round = 0; round < 4; round++) {
      await tellProducts(
        pool,
        siteId,
        Array.from({ length: 100 }, (_, index) => index)
          .filter((index) => index % (round + 1) === 0)
          .flatMap((index) => [view(`${round} ${index}`, 'hub'), view(`${round} ${index}`, `p${index}`)]),
      );
    }
    const { rows } = await database.owner.query(
      `select cardinality(others) as kept from product_neighbours where site_id = $1 and product_id = 'hub'`,
      [siteId],
    );
    expect(rows).toEqual([{ kept: 64 }]);
    expect(await wrongOnes()).toEqual([]);
    const hub = { siteId, sessionKey: null, productId: 'hub', kind: 'view', withPopular: false } as const;
    const related = (await reads.find([hub]))[0]?.related ?? [];
    // Divisible by 12: told in all rounds but that of five.
    for (const index of [0, 12, 24, 36, 48, 60, 72, 84, 96]) expect(related).toContain(`p${index}`);
  });

  it('the verification finds a weight that is wrong, one that is missing, and one too many', async () => {
    const siteId = randomUUID();
    await tellProducts(pool, siteId, [view('s', 'a'), view('s', 'b'), purchase('s', 'a', 'b')]);
    const change = (text: string) => database.owner.query(`${text} site_id = $1`, [siteId]);
    const wrong = async () => (await wrongOnes()).map(({ table, key }) => `${table} ${key}`).toSorted();
    await change(`update product_popularity set weight = weight * 1.01 where product_id = 'a' and`);
    await change(`delete from product_neighbours where kind = 'view' and product_id = 'a' and`);
    await change(
      `update product_neighbours set others = '{c}' where kind = 'purchase' and product_id = 'b' and`,
    );
    expect(await wrong()).toEqual([
      'product_neighbours purchase b a',
      'product_neighbours purchase b c',
      'product_neighbours view a b',
      'product_popularity a',
    ]);
    for (const table of ['session_quarters', 'product_popularity', 'product_neighbours']) {
      await change(`delete from ${table} where`);
    }
    expect(await wrong()).toEqual([]);
  });
});
