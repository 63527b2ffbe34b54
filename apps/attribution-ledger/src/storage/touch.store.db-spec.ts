import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TouchCommand } from '@truetally/contracts/attribution';
import type { RecordedAuditFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { eventually } from '@truetally/testing';
import type { TouchRequest } from '../domain/decide-touches.js';
import { republishTouches } from '../republish-facts/republish-touches.js';
import { type LedgerDatabase, openLedgerDatabase, OWNER, type Replica } from '../testing/ledger-database.js';
import { aTouch } from '../testing/touches.js';
import { READ_RULES, readRules } from './attribution-reads.js';
import { sessionErasure } from './person-erasure.js';
import { TooManyRulesError } from './rule.store.js';

const ALL_READ = { group: 'group', topic: 'topic', partition: 0, lag: 0, end: 0, expired: 0 };

let database: LedgerDatabase;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  database = await openLedgerDatabase();
  replicas = [database.replica(), database.replica()];
});

afterAll(() => database.close());

function aRequest(siteId: string, ...touches: readonly TouchCommand[]): TouchRequest {
  const requestId = randomUUID();
  const request = { site_id: siteId, request_id: requestId, touches };
  return { request, correlationId: randomUUID() };
}

async function stored(siteId: string): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(*)::int as n from touches where site_id = $1',
    [siteId],
  );
  return rows[0]?.n ?? 0;
}

describe('touches', () => {
  it('touches are stored with their sealed click value, and published without it', async () => {
    const siteId = randomUUID();
    const touch = aTouch();
    await replicas[0].touches.record([
      aRequest(siteId, touch, aTouch({ click: null, direction: 'outbound' })),
    ]);
    const { rows } = await database.owner.query<Record<string, unknown>>(
      `select t.*, t.occurred_at::text as occurred, c.key_id, c.sealed from touches t
       left join click_values c on c.touch_row_id = t.id where t.site_id = $1 order by t.click_hash nulls last`,
      [siteId],
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      touch_id: touch.touch_id,
      occurred: '2026-01-30 09:30:00+00',
      key_id: 'k1',
      sealed: Buffer.from('sealed'),
      click_hash: 'a'.repeat(64),
    });
    expect(rows[1]).toMatchObject({ direction: 'outbound', key_id: null, click_hash: null });
    const facts = await database.owner.query<{ value: string }>(
      `select value from outbox where topic = 'touches.recorded.v1' and key like $1 || ':%'`,
      [siteId],
    );
    expect(facts.rows).toHaveLength(2);
    for (const { value } of facts.rows) expect(value).not.toMatch(/a{64}|k1|c2VhbGVk/);
  });

  it('touches of one request are all kept or none: one changed touch refuses the others too', async () => {
    const siteId = randomUUID();
    const touch = aTouch({ touch_id: 'known' });
    await replicas[0].touches.record([aRequest(siteId, touch)]);
    const changed = aTouch({ touch_id: 'known', partner_id: 'other' });
    const fresh = aTouch({ touch_id: 'fresh' });
    const { outcomes } = await replicas[1].touches.record([
      aRequest(siteId, fresh, changed),
      aRequest(siteId, touch, aTouch({ touch_id: 'neighbour' })),
    ]);
    expect(outcomes).toMatchObject([
      {
        kind: 'refused',
        failure: { code: 'CONFLICT', details: { 'touches.1.touch_id': ['exists with other content'] } },
      },
      { kind: 'accepted', touches: [{ isNew: false }, { isNew: true }] },
    ]);
    expect(await stored(siteId)).toBe(2);
  });

  it('delivered again by the same message are answered as the first time', async () => {
    const siteId = randomUUID();
    const request = aRequest(siteId, aTouch());
    const [first, again] = [
      await replicas[0].touches.record([request]),
      await replicas[1].touches.record([request]),
    ];
    expect(first.outcomes).toMatchObject(again.outcomes);
    expect(again.added).toEqual([]);
  });

  it('sent to two replicas at once, in any order, are kept once each and never in a circle', async () => {
    const siteId = randomUUID();
    const touches = Array.from({ length: 20 }, (_, index) => aTouch({ touch_id: `touch-${index}` }));
    const settled = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const order = index % 2 === 0 ? touches : touches.toReversed();
        return replicas[index % 4 < 2 ? 0 : 1].touches.record([aRequest(siteId, ...order)]);
      }),
    );
    const news = settled.flatMap(({ outcomes }) =>
      outcomes.flatMap((one) => (one.kind === 'accepted' ? one.touches.filter(({ isNew }) => isNew) : [])),
    );
    expect(news).toHaveLength(touches.length);
    expect(await stored(siteId)).toBe(touches.length);
  });
});

describe('commission rules', () => {
  it('commission rules are kept once per partner and instant, and listed from the latest on', async () => {
    const siteId = randomUUID();
    const { rules } = replicas[0];
    const rule = (effectiveFrom: string, rate: string) => ({
      website_id: siteId,
      provider: 'awin',
      partner_id: null,
      type: 'percentage' as const,
      rate,
      amount: null,
      currency: null,
      effective_from: effectiveFrom,
    });
    const [january, february] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const id = randomUUID();
    const first = await rules.keep(id, rule(january, '0.05'), OWNER);
    expect(await rules.keep(id, rule(january, '0.05'), OWNER)).toEqual(first);
    expect(first).toMatchObject({ ...rule(january, '0.05') });
    expect(await rules.keep(randomUUID(), rule(january, '0.07'), OWNER)).toEqual(first);
    await rules.keep(randomUUID(), rule(february, '0.06'), OWNER);
    const [latest, ...others] = await rules.list(siteId, 10, null);
    expect(latest?.rule.effective_from).toBe(february);
    expect(others.map((one) => one.rule)).toEqual([first]);
    expect(await rules.list(siteId, 10, latest?.position ?? null)).toEqual(others);
    expect((await audited()).filter(({ resource_id }) => resource_id === id)).toEqual([
      {
        audit_id: expect.any(String),
        workspace_id: OWNER.workspaceId,
        at: first?.created_at,
        actor: OWNER.actor,
        action: 'create',
        resource: 'commission_rule',
        resource_id: id,
      },
    ]);
    const ids = [...others.map((one) => one.rule.id), latest?.rule.id];
    expect((await audited()).map(({ resource_id }) => resource_id)).toEqual(ids);
  });

  it('a site has at most 2,000 rules, of which none is deleted; one that exists is still answered', async () => {
    const siteId = randomUUID();
    const { rules } = replicas[0];
    await database.owner.query(
      `insert into commission_rules (id, site_id, provider, type, rate, effective_from, created_at)
       select gen_random_uuid(), $1, 'awin', 'percentage', 0.05, timestamptz '2026-01-01Z' + n * interval '1 minute', now()
       from generate_series(1, 1999) n`,
      [siteId],
    );
    const rule = (provider: string) => ({
      website_id: siteId,
      provider,
      partner_id: null,
      type: 'percentage' as const,
      rate: '0.05',
      amount: null,
      currency: null,
      effective_from: '2026-02-01T00:00:00.000Z',
    });
    const last = await rules.keep(randomUUID(), rule('cj'), OWNER);
    await expect(rules.keep(randomUUID(), rule('rakuten'), OWNER)).rejects.toThrow(TooManyRulesError);
    expect(await rules.keep(randomUUID(), rule('cj'), OWNER)).toEqual(last);
    expect(await rules.list(siteId, 1, null)).toMatchObject([{ rule: { provider: 'cj' } }]);
  });

  it('the rule in force is one row of an index, however many rules its partner and the others of its provider have', async () => {
    const siteId = randomUUID();
    await database.owner.query(
      `insert into commission_rules (id, site_id, provider, partner_id, type, rate, effective_from, created_at)
       select gen_random_uuid(), $1, 'awin', partner, 'percentage', 0.01 * (n % 90), timestamptz '2026-01-01Z' + n * interval '1 minute', now()
       from generate_series(0, 999) n, unnest(array['blog', null]) as partner`,
      [siteId],
    );
    await database.owner.query('analyze commission_rules');
    const asked = [
      { siteId, provider: 'awin', partnerId: 'blog', at: '2026-01-01T00:07:30Z' },
      { siteId, provider: 'awin', partnerId: null, at: '2026-01-01T00:09:00Z' },
      { siteId, provider: 'awin', partnerId: 'unknown', at: '2026-01-01T00:09:00Z' },
      { siteId, provider: 'awin', partnerId: null, at: '2025-12-31T00:00:00Z' },
    ];
    const client = await replicas[0].pool.connect();
    try {
      const found = (await readRules(client, asked)).get(siteId) ?? [];
      const minutes = new Map(
        found.map(({ partnerId, effectiveFrom }) => [partnerId, effectiveFrom.slice(11, 16)]),
      );
      expect(found).toHaveLength(2);
      expect(minutes).toEqual(
        new Map([
          ['blog', '00:07'],
          [null, '00:09'],
        ]),
      );
      await client.query('begin; set local enable_seqscan = off');
      const plan = await client.query<Record<string, string>>(`explain (analyze, timing off) ${READ_RULES}`, [
        asked.map((one) => one.siteId),
        asked.map(({ provider }) => provider),
        asked.map(({ partnerId }) => partnerId),
        asked.map(({ at }) => at),
      ]);
      await client.query('rollback');
      const text = plan.rows.map((row) => row['QUERY PLAN'] ?? '').join('\n');
      const scans = [
        ...text.matchAll(/Index (?:Only )?Scan[^\n]* on commission_rules[^\n]*actual rows=([\d.]+)/g),
      ];
      expect(scans.length).toBeGreaterThan(0);
      for (const [, rows] of scans) expect(Number(rows)).toBeLessThanOrEqual(1);
      expect(text).not.toContain('Rows Removed by Filter');
    } finally {
      client.release();
    }
  });

  async function audited(): Promise<readonly RecordedAuditFact[]> {
    const { rows } = await database.owner.query<{ value: string }>(
      'select value from outbox where topic = $1 order by id',
      [TOPICS.auditRecorded.name],
    );
    return rows.map(({ value }) => JSON.parse(value) as RecordedAuditFact);
  }
});

const ALWAYS = {
  period: { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' },
  published: () => Promise.resolve(),
};
/** What has read touches, and waits for the outbox. */
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
  and query like '%.outbox%'`;

describe('the touches of an erased person', () => {
  it('the erasure of a session waits until its touches are published, those that are published again, too, and for none that come later', async () => {
    const siteId = randomUUID();
    const [{ pool, touches }] = replicas;
    await database.owner.query('delete from outbox');
    await touches.record([aRequest(siteId, aTouch({ session_id: 'session' }))]);
    const erasure = sessionErasure(pool, { lag: () => Promise.resolve([ALL_READ]) }, 0);
    const jobId = randomUUID();
    const step = () =>
      erasure.step({
        ...{ name: `${jobId}/ledger/`, jobId, erasureId: randomUUID(), siteId, userId: null, cursor: null },
        subjects: { sessionIds: ['session'], eventIds: [] },
      });
    const known = async () => (await pool.query('select from touches where session_id is not null')).rowCount;
    expect(await step()).toMatchObject({ again_in_ms: 1_000 });
    expect(await known()).toBe(1);
    const { rows } = await pool.query<{ last: string }>('select max(id) as last from outbox');
    await touches.record([aRequest(siteId, aTouch())]);
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(`select pg_advisory_xact_lock(hashtext(current_schema() || '.outbox'))`);
    const again = republishTouches({ ...ALWAYS, pool: replicas[1].pool });
    await eventually(async () => (await database.owner.query(WAITING)).rowCount !== 0);
    await database.owner.query('delete from outbox where id <= $1', [rows[0]?.last]);
    const erasing = step();
    await eventually(async () => (await known()) === 0);
    await holder.query('commit');
    holder.release();
    await again;
    expect(await erasing).toMatchObject({ again_in_ms: 1_000 });
    await database.owner.query('delete from outbox');
    expect(await step()).toMatchObject({ done: 1, cursor: null });
  });
});
