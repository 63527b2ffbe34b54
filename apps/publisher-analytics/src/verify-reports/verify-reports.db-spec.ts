import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedProcess, NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/testing';
import { type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import { Calendar } from '@truetally/kernel';
import { ITEM_MEASURES, TOTAL_MEASURES } from '../domain/report-changes.js';
import { referenceErasure } from '../storage/person-erasure.js';
import { ReportRebuild } from '../storage/report-rebuild.js';
import { publisherErasure } from '../storage/site-erasure.js';
import { SiteScopes } from '../storage/site-scope.js';
import { facts, factsToldAgain, factsWithErasures } from '../testing/arbitrary-facts.js';
import {
  erasureOf,
  eventIdOf,
  ofSite,
  openPublisherDatabase,
  PublisherReplica,
} from '../testing/publisher-database.js';
import { PublisherModel, type Told } from '../testing/publisher-model.js';
import { verifyReports } from './verify-reports.js';

const ZONE = 'Europe/Berlin';
const RUNS = 25;

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openPublisherDatabase();
});

afterAll(() => database.close());

/** The stored sums, with the names of the model. */
async function storedSums(siteId: string): Promise<Readonly<Record<string, string>>> {
  const sums = new Map<string, string>();
  const read = async (sql: string, measures: readonly string[]): Promise<void> => {
    const { rows } = await database.owner.query<{ place: string } & Record<string, string>>(sql, [siteId]);
    for (const row of rows) {
      for (const name of measures) {
        const sum = row[name] ?? '0';
        if (sum !== '0') sums.set(`${row.place}|${name}`, sum);
      }
    }
  };
  await read(
    `select concat_ws('|', 'total', site_id, level, start, currency) as place, ${TOTAL_MEASURES.join(', ')}
     from report_totals where site_id = $1`,
    TOTAL_MEASURES,
  );
  await read(
    `select concat_ws('|', kind, site_id, level, start, currency, name) as place, ${ITEM_MEASURES.join(', ')}
     from (select * from report_items where site_id = $1) items join report_names using (item_id, site_id)`,
    ITEM_MEASURES,
  );
  return Object.fromEntries([...sums].sort());
}

function expectedSums(told: readonly Told[], zone = ZONE): Readonly<Record<string, string>> {
  const model = new PublisherModel(new Calendar(zone));
  model.tell(told);
  return sumsOf(model);
}

function sumsOf(model: PublisherModel): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(model.report())
      .map(([name, sum]) => [name, String(sum)] as const)
      .sort(),
  );
}

async function toldSite(): Promise<string> {
  const siteId = randomUUID();
  const [told = []] = fc.sample(
    facts.filter((some) => ['click', 'settlement'].every((kind) => some.some((one) => one.kind === kind))),
    { numRuns: 1, seed: 1 },
  );
  const replica = new PublisherReplica(database.openPool(2), ZONE);
  await replica.tell(
    siteId,
    told.map((one) => ofSite(one, siteId)),
  );
  return siteId;
}

// These two first: a verification reads every site that the tests have made, and one test verifies at each step of an erasure.
describe('the verification of reports', () => {
  it.each([
    [
      'a name by which an item is shown that was changed',
      `update report_names set name = name || '!'`,
      /^name of /,
    ],
    ['a name by which an item is shown that is gone', 'delete from report_names', /^name of /],
    [
      'a former state of a settlement that was added by hand',
      `insert into settlement_states select settlement_id, order_reference, reference_hash, status, currency, commissionable,
         commission, transaction_at, updated_at, recorded_at from settlements`,
      /^former state of /,
    ],
    ['sums whose time zone is gone', 'delete from site_calendars', /^time zone$/],
  ])('the verification finds %s', async (_what, statement, sum) => {
    const siteId = await toldSite();
    await database.owner.query(`${statement} where site_id = $1`, [siteId]);
    const { differences } = await verifyReports(database.owner);
    expect(new Set(differences.map((one) => one.siteId))).toEqual(new Set([siteId]));
    expect(differences.map((one) => one.sum)).toContainEqual(expect.stringMatching(sum));
    await walkErasure(publisherErasure(database.openPool(1)), siteId, 1_000);
  });

  it('the verification finds nothing in a site that is being erased, whatever is left of it', async () => {
    const siteId = await toldSite();
    const erasure = publisherErasure(database.openPool(1), { settlements: 1, sums: 1, blocks: 100 });
    const found: unknown[] = [];
    const { steps } = await walkErasure(erasure, siteId, 1_000, async () => {
      found.push(...(await verifyReports(database.owner)).differences);
    });
    expect([found, steps > 10]).toEqual([[], true]);
  });
});

describe('npm run publisher:verify', () => {
  /** The command, as an operator runs it. */
  async function verify(): Promise<{ readonly code: number | null; readonly output: string }> {
    const command = await ManagedProcess.start({
      name: 'publisher-verify',
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'tools', 'dist', 'publisher-verify.js')],
      env: { ...programEnvironment(), DATABASE_URL: database.url, DATABASE_SCHEMA: database.schema },
      cwd: REPOSITORY_ROOT,
    });
    const { code } = await command.exited;
    return { code, output: command.tail() };
  }

  let siteId: string;

  beforeAll(async () => {
    siteId = await toldSite();
  });

  it('ends with 0 when every sum is what the rows add up to', async () => {
    const { code, output } = await verify();
    expect([code, output]).toEqual([0, expect.stringContaining('"differences":0')]);
  });

  it.each([
    ['a sum of the report', 'report_totals', 'clicks', '1', /^totals .* clicks$/],
    ['a sum of an item', 'report_items', 'clicks', '1', /^(content|destination) .* clicks$/],
    ['a click', 'clicks', 'occurred_at', `interval '40 days'`, / clicks$/],
    ['a settlement', 'settlements', 'commission', '1', / \w*commission$/],
  ])(
    'ends with 1 and names the first sum that differs when %s was changed by hand',
    async (_what, table, column, by, sum) => {
      const { owner } = database;
      const change = async (sign: '+' | '-', where: string): Promise<string> => {
        const { rows } = await owner.query<{ place: string }>(
          `update ${table} set ${column} = ${column} ${sign} ${by} where ctid = ${where} returning ctid::text as place`,
        );
        return rows[0]?.place ?? '';
      };
      await owner.query(`alter table ${table} disable trigger user`);
      const changed = await change('+', `(select min(ctid) from ${table} where site_id = '${siteId}')`);
      const { code, output } = await verify();
      const [first = ''] = output.split('\n').filter((line) => line.includes('A sum is not right.'));
      expect([code, JSON.parse(first.slice(first.indexOf('{')))]).toMatchObject([
        1,
        {
          site_id: siteId,
          sum: expect.stringMatching(sum),
          kept: expect.stringMatching(/^-?\d+$/),
          computed: expect.stringMatching(/^-?\d+$/),
        },
      ]);
      await change('-', `'${changed}'`);
      await owner.query(`alter table ${table} enable trigger user`);
      expect((await verifyReports(owner)).differences).toEqual([]);
    },
  );

  it('ends with 2 where nothing can be verified', async () => {
    const command = await ManagedProcess.start({
      name: 'publisher-verify',
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'tools', 'dist', 'publisher-verify.js')],
      env: { ...programEnvironment(), TRUETALLY_LOCAL_DIR: join(REPOSITORY_ROOT, '.local', randomUUID()) },
      cwd: REPOSITORY_ROOT,
    });
    expect((await command.exited).code).toBe(2);
  });
});

describe('sums of the service’s own tables', () => {
  it('sums are the same for any order, repetition and grouping, on two replicas, and recomputed', async () => {
    const replicas = [1, 2].map(() => new PublisherReplica(database.openPool(2), ZONE));
    await fc.assert(
      fc.asyncProperty(factsToldAgain(12), async ([told, again, size]) => {
        const siteId = randomUUID();
        const groups = Array.from({ length: Math.ceil(again.length / size) }, (_, index) =>
          again.slice(index * size, (index + 1) * size).map((one) => ofSite(one, siteId)),
        );
        await Promise.all(
          replicas.map(async (replica, index) => {
            for (const group of groups.filter((_, n) => n % replicas.length === index)) {
              await replica.tell(siteId, group);
            }
          }),
        );
        expect(await storedSums(siteId)).toEqual(expectedSums(told.map((one) => ofSite(one, siteId))));
      }),
      { numRuns: RUNS },
    );
    const { sites, sums, differences } = await verifyReports(database.owner);
    expect(differences).toEqual([]);
    // For any number in memory at a time.
    const inParts = await verifyReports(database.owner, { sumsPerPart: 1, rowsPerFetch: 3 });
    expect(inParts).toEqual({ sites, sums, differences: [] });
    expect([sites > 1, sums > 1]).toEqual([true, true]);
  });

  it('sums are those of the new time zone when a site moves, however many are added up at a time', async () => {
    const pool = database.openPool(2);
    const replica = new PublisherReplica(pool, ZONE);
    const zone = 'Pacific/Auckland';
    const sizes = fc.record({
      sumsPerPart: fc.integer({ min: 1, max: 4 }),
      rowsPerFetch: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(facts, sizes, async (told, few) => {
        const siteId = randomUUID();
        const ofIt = told.map((one) => ofSite(one, siteId));
        await replica.tell(siteId, ofIt);
        await new ReportRebuild(pool, new SiteScopes(() => zone), few).moveTo(siteId, zone);
        expect(await storedSums(siteId)).toEqual(expectedSums(ofIt, zone));
      }),
      { numRuns: RUNS },
    );
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });
});

describe('sums after erasures of people', () => {
  it('sums are those of the same facts without an erasure’s names, also told again, and after a move of the site', async () => {
    const pool = database.openPool(2);
    const replica = new PublisherReplica(pool, ZONE);
    const erasure = referenceErasure(pool);
    const zone = 'Pacific/Auckland';
    await fc.assert(
      fc.asyncProperty(factsWithErasures, async (groups) => {
        const siteId = randomUUID();
        const models = [ZONE, zone].map((one) => new PublisherModel(new Calendar(one)));
        for (const { told, erased } of groups) {
          const ofIt = told.map((one) => ofSite(one, siteId));
          const eventIds = erased.map((name) => eventIdOf(siteId, name));
          await replica.tell(siteId, ofIt);
          await erasure.step(erasureOf(siteId, eventIds));
          for (const model of models) {
            model.tell(ofIt);
            model.erase(eventIds);
          }
        }
        const [before, after] = models.map(sumsOf);
        expect(await storedSums(siteId)).toEqual(before);
        await new ReportRebuild(pool, new SiteScopes(() => zone)).moveTo(siteId, zone);
        expect(await storedSums(siteId)).toEqual(after);
      }),
      { numRuns: RUNS },
    );
    expect((await verifyReports(database.owner)).differences).toEqual([]);
  });
});
